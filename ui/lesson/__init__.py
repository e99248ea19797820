"""What only the lesson needs: its link, its steps, and the row that leads through them."""

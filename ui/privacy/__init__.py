"""What only the Privacy page needs."""

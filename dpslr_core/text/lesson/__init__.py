"""What the lesson says: of each step a headline, what its picture shows, a question and its answer."""

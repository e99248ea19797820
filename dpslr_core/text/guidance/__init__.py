"""What the Guidance page says, and a memo about its answer."""

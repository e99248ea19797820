"""What runs cost in time and memory, estimated before they start."""

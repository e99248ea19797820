"""Work that takes long: where it can be interrupted, and what it may cost."""

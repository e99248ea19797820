"""What pages say of work that takes long."""

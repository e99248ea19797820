"""How long the server keeps what belongs to one visitor."""

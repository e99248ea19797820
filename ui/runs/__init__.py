"""What pages compute: chunk after chunk, each kept."""

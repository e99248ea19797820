"""Claims of the appendix that stand in no other section."""

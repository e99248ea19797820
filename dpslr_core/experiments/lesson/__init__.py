"""The numbers of the lesson: six steps on three algorithms, for a class."""

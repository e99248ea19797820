"""The pictures of the lesson, and of one record that is moved."""

"""One record that is moved: the controls that Data and the lesson share."""

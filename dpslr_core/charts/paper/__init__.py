"""Charts of the paper's figures: frames in, figures of altair out, the same for the page and for files."""

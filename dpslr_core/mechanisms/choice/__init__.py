"""An algorithm that is chosen by the data, privately."""

"""Functions that read the data of figures and draw them."""

"""Lines through points, and the correlation of two measures."""

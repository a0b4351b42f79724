"""What the pages of every package share."""

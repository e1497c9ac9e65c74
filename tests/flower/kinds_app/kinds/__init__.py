"""A job for every way of paying."""

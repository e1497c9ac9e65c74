"""A job whose work is judged, for the engines of Flower."""

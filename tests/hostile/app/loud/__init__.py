"""A paying job under attack, as a Flower app."""

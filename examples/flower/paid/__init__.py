"""A Flower job that pays its clients."""

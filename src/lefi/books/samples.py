"""Sizes are thousand samples in lefi, and whole samples where clients count them."""

from math import floor

SAMPLES = 1000  # samples per unit of size


def to_samples(size: float) -> int:
    """Whole samples that a size in thousands holds; the hair undoes the rounding of 0.57 * 1000."""
    return floor(size * SAMPLES + 1e-6)

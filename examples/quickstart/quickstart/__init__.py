"""The shape of Flower's PyTorch quickstart."""

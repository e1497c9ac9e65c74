"""These tests train for real, on tiny data: they need PyTorch."""

import pytest

pytest.importorskip("torch", reason="the extra profile (PyTorch) is not installed")

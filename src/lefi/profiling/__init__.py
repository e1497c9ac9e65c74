"""Real federated training behind the accuracy and cost models (extra `profile`: PyTorch)."""

from lefi.errors import LefiError

try:
    import torch  # noqa: F401
except ImportError:
    raise LefiError("lefi.profiling needs PyTorch: pip install 'lefi-fl[profile]'") from None

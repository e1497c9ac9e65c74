"""The service: lefi for any FL server over HTTP, and the pages that show the money (extra `serve`)."""

from lefi.errors import LefiError

try:
    from lefi.serve.app import make_app
    from lefi.serve.context import Caller, Context
except ModuleNotFoundError as error:
    if (error.name or "").startswith("lefi."):
        raise
    raise LefiError(f"lefi.serve needs {error.name}: pip install 'lefi-fl[serve]'") from None

__all__ = ["Caller", "Context", "make_app"]

"""Where training runs, and what the manifest says of it."""

import platform
from pathlib import Path
from typing import Any

import torch

from lefi.errors import InputError, LefiError
from lefi.versions import versions


def choose_device(name: str) -> torch.device:
    """`auto` (CUDA where there is one), `cpu` or `cuda`."""
    if name not in ("auto", "cpu", "cuda"):
        raise InputError("device", name, "auto, cpu or cuda")
    if name == "cuda" and not torch.cuda.is_available():
        raise LefiError("device cuda: PyTorch sees no GPU here; use --device cpu")
    return torch.device("cuda" if name != "cpu" and torch.cuda.is_available() else "cpu")


def hardware(device: torch.device) -> dict[str, Any]:
    """The kind and the name of the device, and the versions of what ran on it."""
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else _processor()
    told = {"kind": device.type, "name": name, "system": platform.system()}
    return {"device": told, "versions": versions() | {"torch": str(torch.__version__), "cuda": torch.version.cuda}}


def _processor() -> str:
    """The CPU's name where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())

"""Fleets in partitions: rounds of one mechanism over more clients than one process holds (extra `cluster`: Dask)."""

from lefi.cluster.driver import play_parts
from lefi.cluster.engines import opened
from lefi.cluster.spec import Spec, usual_partitions

__all__ = ["Spec", "opened", "play_parts", "usual_partitions"]

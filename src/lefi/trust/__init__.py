"""Did the client train on what it claims? Evidence from updates, money held back, audits. Numpy only.

    trust = Trust(Reference.read("reference.json"), layout_of(model))
    verdicts = trust.hear(heard)        # once a round: claims, updates, what they do on validation data

An honest client is ever accused in the whole job with a chance of at most `alpha`. What cannot be told apart is not
accused: docs/trust.md says what that is.
"""

from lefi.trust.audits import Audits
from lefi.trust.calibration import calibrate
from lefi.trust.escrow import Escrow
from lefi.trust.features import Heard, Layout
from lefi.trust.records import Records
from lefi.trust.reference import Record, Reference
from lefi.trust.trust import Trust, Verdicts
from lefi.trust.vectors import flat, layout_of

__all__ = [
    "Audits", "Escrow", "Heard", "Layout", "Record", "Records", "Reference", "Trust", "Verdicts", "calibrate", "flat",
    "layout_of",
]  # fmt: skip

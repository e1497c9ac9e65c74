"""An optimum as a receipt."""

from dataclasses import dataclass
from typing import Self

from lefi.messages import Receipt

SAFE = 1 - 1e-9  # solve to a hair under the budget, so that rounding never overspends


@dataclass(frozen=True, eq=False)
class OptimumReceipt(Receipt):
    """The optimum as a receipt. `bound` is the dual value: no offer reaches more, also where responses jump."""

    bound: float

    @classmethod
    def of(cls, receipt: Receipt, bound: float) -> Self:
        fields = {name: getattr(receipt, name) for name in Receipt.__dataclass_fields__}
        return cls(**fields, bound=max(bound, receipt.accuracy))

"""An optimum as a receipt."""

from dataclasses import dataclass, field
from typing import Self

from lefi.messages import O, Receipt


@dataclass(frozen=True, eq=False, repr=False)
class OptimumReceipt(Receipt[O]):
    """The optimum as a receipt. `bound` is the dual value: no offer reaches more, also where responses jump.

    >>> best = lefi.oracle(lefi.scenario("paper", clients=4))
    >>> best.accuracy <= best.bound
    True
    """

    bound: float = field(kw_only=True)

    @classmethod
    def of(cls, receipt: Receipt[O], bound: float) -> Self:
        fields = {name: getattr(receipt, name) for name in Receipt.__dataclass_fields__}
        return cls(**fields, bound=max(bound, receipt.accuracy))

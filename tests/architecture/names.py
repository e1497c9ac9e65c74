"""Which names of modules stand for two things, and which of them may."""

from collections import defaultdict
from collections.abc import Iterable

# A view is named after what it shows: `lefi.cli.train` is the command for `lefi.profiling.train`.
VIEWS = (
    "lefi.cli",
    "lefi.serve.pages",
    "lefi.studies.claims",
    "lefi.studies.figures",
    "lefi.studies.report",
    "lefi.testing",
)

# Besides views, these and no others share a name.
SHARED = {
    # one way of paying: the offer, and the mechanism that makes it
    "auction": {"lefi.offers.auction", "lefi.mechanisms.auction"},
    "pool": {"lefi.offers.pool", "lefi.mechanisms.pool"},
    "price": {"lefi.offers.price", "lefi.mechanisms.price"},
    "principals": {"lefi.offers.principals", "lefi.mechanisms.principals"},
    # fleets in partitions, and studies: both on Dask, which has one word for where they run
    "cluster": {"lefi.cluster", "lefi.studies.run.cluster"},
    # real training of a model, and training of an agent on simulated markets
    "train": {"lefi.profiling.train", "lefi.gym.train"},
    # the contract, and in each package of a mechanism the class that keeps it
    "mechanism": {
        "lefi.mechanisms.mechanism",
        "lefi.mechanisms.lefi.mechanism",
        "lefi.mechanisms.price.mechanism",
        "lefi.mechanisms.pace.mechanism",
        "lefi.mechanisms.waterfill.mechanism",
    },
}


def subjects(modules: Iterable[str]) -> dict[str, set[str]]:
    """Names that more than one module bears, leaving out views; a file named after its package is no second one."""
    found = defaultdict(set)
    for module in modules:
        package, _, name = module.rpartition(".")
        if not package.startswith(VIEWS) and package.rpartition(".")[2] != name:
            found[name].add(module)
    return {name: same for name, same in found.items() if len(same) > 1}


def second_ledgers(modules: Iterable[str]) -> list[str]:
    """Modules outside `lefi.ledger` that call themselves a ledger; the command that shows it may."""
    named = {module for module in modules if "ledger" in module.rpartition(".")[2]}
    return sorted(module for module in named if not f"{module}.".startswith(("lefi.ledger.", "lefi.cli.ledger.")))

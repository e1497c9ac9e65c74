"""The studies that ship with lefi: those that the report of the paper rests on, and those beside them."""

from pathlib import Path

from lefi.studies.plan.study import Study

BEYOND = (  # other clients than the paper's
    "scenario_capped",
    "scenario_noisy",
    "scenario_reluctant",
    "scenario_stubborn",
    "scenario_drifting",
    "scenario_churning",
    "scenario_flaky",
)
PAPER = ("convergence", "mixed", "clients", "budget", "deadline", *BEYOND)  # what the report rests on
ABLATION = "ablation"  # from the paper's algorithm to ours, one change at a time
SHAPE = ("shape_money", "shape_deviation")  # and, with few seeds, those over payment classes
HEAVY = (  # minutes of CPU: their tables ship with lefi
    "clients_fixed",
    "clients_many",
    "cold_starts",
    "drl",
    "drl_long",
    "kernels",
    "pretending",
    "rules",
)
EVERYBODY = "everybody"  # heavy too, with a table of its own
EXTRA = (ABLATION, *SHAPE)  # `lefi paper` runs these too
FEW = 3  # seeds of the studies over payment classes, which sweep much
FULL = 30  # seeds, for narrower intervals
QUICK_SEEDS = 2
QUICK = {  # what a first look sweeps: the ends, and a value between
    "clients": [10, 30],
    "budget": [1.0, 5.0, 25.0],
    "deadline": [5.0, 20.0, 60.0],
}


def paper_folder() -> Path:
    """Where the TOMLs of the paper lie: inside an installed lefi, or at the root of a clone."""
    installed = Path(__file__).parents[1] / "toml"
    return installed if installed.is_dir() else Path(__file__).parents[4] / "studies"


def paper_studies() -> list[Study]:
    return [Study.read(paper_folder() / f"{name}.toml") for name in PAPER + EXTRA]


def paper_runs(seeds: int, rounds: int, *, full: bool = False, quick: bool = False) -> list[Study]:
    """The studies with so many seeds and rounds; `full` takes FULL seeds, and those of SHAPE as their TOMLs say.

    `quick` is a first look in about a minute: few seeds, few values of each sweep, the paper's own clients only.
    """
    if quick:
        return [_quick(study, rounds) for study in paper_studies() if study.name not in BEYOND + EXTRA]
    shape = {} if full else {"seeds": min(seeds, FEW)}  # with `full` as their TOMLs say
    return [
        study.changed(rounds=min(rounds, study.rounds), **shape)
        if study.name in SHAPE
        else study.changed(seeds=FULL if full else seeds, rounds=rounds)
        for study in paper_studies()
    ]


def _quick(study: Study, rounds: int) -> Study:
    values = QUICK.get(study.name)
    sweep = None if values is None else {"setting": study.sweeps[0].setting, "values": values}
    return study.changed(seeds=QUICK_SEEDS, rounds=rounds, sweep=sweep)

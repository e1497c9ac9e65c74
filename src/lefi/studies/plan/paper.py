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


def paper_folder() -> Path:
    """Where the TOMLs of the paper lie: inside an installed lefi, or at the root of a clone."""
    installed = Path(__file__).parents[1] / "toml"
    return installed if installed.is_dir() else Path(__file__).parents[4] / "studies"


def paper_studies() -> list[Study]:
    return [Study.read(paper_folder() / f"{name}.toml") for name in PAPER + EXTRA]

"""Training of the network, begun or gone on with: batch after batch of drawn markets, a file, a curve.

`python -m lefi.gym.train --steps 1e6 --out weights.npz` needs none of the extras; `lefi drl train` is the same.
Batch k draws from (seed, k) alone: a training that was stopped goes on to the same weights as one that was not.
"""

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lefi.agent.ascent import Climb, begin, climb
from lefi.agent.network import Layers, fresh
from lefi.agent.weights import Weights, load, save
from lefi.draws import generator
from lefi.errors import InputError
from lefi.gym.families import FAMILIES
from lefi.gym.policy_gradient import Part, Recipe, gradient, narrow, validation_markets, validation_reward

Told = Callable[[int, int, float], None]  # interactions done, interactions in all, reward of the validation markets
Work = Callable[[list[Part]], list[Layers]]


class Reached(NamedTuple):
    """Where a training stands: (interactions, mean reward of the validation markets) for each point of the curve."""

    climb: Climb
    batches: int
    curve: list[tuple[float, float]]


def train(steps: float, out: Path, recipe: Recipe | None = None, jobs: int = 1, told: Told | None = None) -> Reached:
    """Train until so many interactions, from where the file stands if there is one; it is written at every point."""
    reached, recipe = _resumed(out, recipe)
    batches = max(int(np.ceil(steps / recipe.batch)), 1)
    tested = validation_markets(recipe.seed)
    with _workers(jobs) as work:
        while reached.batches < batches:
            reached = _batch(reached, recipe, work)
            if reached.batches % recipe.every == 0 or reached.batches == batches:
                found = validation_reward(reached.climb.layers, tested)
                point = float(reached.batches * recipe.batch), found
                reached = reached._replace(curve=[*reached.curve, point])
                _write(out, reached, recipe)
                if told is not None:
                    told(reached.batches * recipe.batch, batches * recipe.batch, found)
    return reached


def _batch(reached: Reached, recipe: Recipe, work: Work) -> Reached:
    """One more batch of markets, one more step."""
    layers = Layers(*map(narrow, reached.climb.layers))
    parts = work([Part(recipe, layers, reached.batches, part) for part in range(recipe.parts)])
    whole = Layers(*(np.asarray(np.sum(same, axis=0, dtype=np.float64)) for same in zip(*parts, strict=True)))
    state = climb(reached.climb, whole, recipe.rate * recipe.cooled(reached.batches))
    return reached._replace(climb=state, batches=reached.batches + 1)


@contextmanager
def _workers(jobs: int) -> Iterator[Work]:
    """What works the parts of a batch out: this process, or several. The sum is the same."""
    if jobs == 1:
        yield lambda parts: [gradient(part) for part in parts]
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield lambda parts: list(pool.map(gradient, parts))


def _resumed(out: Path, recipe: Recipe | None) -> tuple[Reached, Recipe]:
    """What the file holds, or the beginning."""
    if not out.exists():
        chosen = recipe or Recipe()
        layers = fresh(generator(chosen.seed, "drl train"))
        first = (0.0, validation_reward(layers, validation_markets(chosen.seed)))
        return Reached(begin(layers), 0, [first]), chosen
    weights = load(str(out))
    about, more = weights.about, weights.more
    try:
        before = Recipe(**about["recipe"])
        mean, square = (Layers(*(more[f"{kind}_{name}"] for name in Layers._fields)) for kind in ("mean", "square"))
        state = Climb(weights.layers, mean, square, int(about["batches"]))
        reached = Reached(state, state.steps, [(float(a), float(b)) for a, b in more["curve"]])
    except (KeyError, TypeError, ValueError):
        raise InputError("out", str(out), "a file of a training that can go on, or a new name") from None
    if recipe is not None and recipe != before:
        changed = [name for name, value in asdict(recipe).items() if getattr(before, name) != value]
        raise InputError("out", str(out), f"a new name: the training there has another {', '.join(changed)}")
    return reached, before


def _write(out: Path, reached: Reached, recipe: Recipe) -> None:
    about: dict[str, Any] = {
        "recipe": asdict(recipe),
        "batches": reached.batches,
        "interactions": reached.batches * recipe.batch,
        "families": list(FAMILIES),
    }
    state = reached.climb
    more = {f"mean_{name}": part for name, part in state.mean._asdict().items()}
    more |= {f"square_{name}": part for name, part in state.square._asdict().items()}
    save(out, Weights(state.layers, about, more | {"curve": np.array(reached.curve)}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=float, default=1e6, help="interactions in all, one market's round each")
    parser.add_argument("--out", type=Path, default=Path("weights.npz"), help="goes on from there if it exists")
    parser.add_argument("--jobs", type=int, default=1, help="processes; the weights are the same with any number")
    for name, value in asdict(Recipe()).items():
        parser.add_argument(f"--{name}", type=type(value), default=None, help=f"of a new training; {value}")
    given = vars(parser.parse_args())
    steps, out, jobs = given.pop("steps"), given.pop("out"), given.pop("jobs")
    chosen = {name: value for name, value in given.items() if value is not None}
    train(
        steps, out, Recipe(**chosen) if chosen else None, jobs, lambda *now: print("{:,} of {:,}: {:.5f}".format(*now))
    )


if __name__ == "__main__":
    main()

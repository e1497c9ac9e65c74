"""Cheats in a job that is really trained: the model of the honest comes out, and cheats keep next to nothing."""

from dataclasses import replace

import numpy as np
import pytest

from lefi.profiling.cheats import Fleet, Job
from lefi.profiling.closed_loop import compared, digits_trainer, played
from lefi.profiling.train import Trainer
from lefi.trust import Reference, Trust
from tests.lengths import LONG

ROUNDS = 20


@pytest.fixture(scope="module")
def trainer() -> Trainer:
    return digits_trainer()


def test_idle_updates_do_not_shorten_the_first_step(trainer: Trainer) -> None:
    job = Job(trainer, Fleet(kind="idle", share=0.4), 11)
    first = next(job.play(1, Trust(Reference.read("digits"), job.layout)))
    assert first.verdicts is not None
    assert set(first.verdicts.empty) == set(np.flatnonzero(job.kinds == "idle").tolist())
    works = job.kinds == "honest"
    claims = first.heard.claims[works]
    assert first.change == pytest.approx(claims @ first.heard.updates[works] / claims.sum())


def test_who_is_known_to_cheat_is_not_let_in(trainer: Trainer) -> None:
    first = next(Job(trainer, Fleet(), 11).play(1, without=[3, 5]))
    assert set(first.heard.ids.tolist()) == set(range(20)) - {3, 5}


@pytest.mark.slow
@pytest.mark.skipif(not LONG, reason="part of make long; test_paid_job.py has cheats that are watched")
def test_with_idle_cheats_the_model_is_that_of_the_honest_and_they_keep_nothing(trainer: Trainer) -> None:
    """What the issue asks for, with 40% of the clients doing nothing."""
    found = compared(trainer, Fleet(kind="idle", share=0.4), Reference.read("digits"), ROUNDS, [11])
    assert found.caught == 1.0
    assert found.honest_lost == 0.0
    assert found.watched >= found.honest - 0.02
    assert found.gaps == pytest.approx([found.honest - found.watched])
    assert found.watched > found.believed + 0.02, "the control: cheats that are believed cost accuracy"
    assert found.kept <= 0.05


@pytest.mark.slow
def test_without_escrow_cheats_keep_what_they_got_before_they_were_accused(trainer: Trainer) -> None:
    job = Job(trainer, Fleet(kind="replay", share=0.2), 12)
    out = played(job, 8, Trust(Reference.read("digits"), job.layout), escrow=0)
    cheats = np.flatnonzero(job.kinds == "replay")
    assert set(cheats) <= set(out.accused)
    served = np.mean([out.accused[int(one)] - 1 for one in cheats])
    assert out.kept == pytest.approx(served / 8, abs=0.1)
    honest = played(Job(trainer, replace(job.fleet, kind="honest"), 12), 2)
    assert np.isnan(honest.kept)
    assert honest.accused == {}

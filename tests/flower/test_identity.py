"""Who has an account: names, takeovers, nodes that say nothing, and what a client states about itself."""

import logging
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from flwr.app import ConfigRecord, Message, RecordDict

import lefi
from lefi.flower import Incentive, LocalGrid
from lefi.flower.identity import Directory
from tests.flower import toy


class Village(LocalGrid):
    """Nodes that come and go; each states a name and an iid, or nothing (None)."""

    def __init__(self, said: dict[int, Any], keys: dict[int, bytes] | None = None) -> None:
        super().__init__(toy.app(), 0)
        self.said, self.keys, self.asked = said, keys or {}, list[list[int]]()

    def get_node_ids(self) -> Iterable[int]:
        return list(self.said)

    def get_nodes(self) -> Any:
        return [SimpleNamespace(node_id=node, public_key=self.keys.get(node, b"")) for node in self.said]

    def send_and_receive(self, messages: Iterable[Message], *, timeout: float | None = None) -> Iterable[Message]:
        messages = list(messages)
        self.asked.append([message.metadata.dst_node_id for message in messages])
        for number, message in enumerate(messages):
            message.metadata.__dict__["_message_id"] = f"{len(self.asked)}-{number}"
        return [
            Message(RecordDict({"client": ConfigRecord({"client-id": said[0], "iid": said[1]})}), reply_to=message)
            for message in messages
            if (said := self.said[message.metadata.dst_node_id]) is not None
        ]

    def meet(self, directory: Directory, round: int) -> dict[str, int]:
        return {name: caller.node for name, caller in directory.present(self, list(self.said), round).items()}


def directory(reading: Any = "client-id", **settings: Any) -> Directory:
    return Directory(reading, 1.0, 1.0, **settings)


@pytest.mark.parametrize("reading", ["name", "", "Key", None, 3])
def test_only_two_readings_exist(tmp_path: Path, reading: Any) -> None:
    with pytest.raises(lefi.InputError, match=r"identity .* client-id, key"):
        Incentive(toy.fedavg(), "waterfill", terms=toy.TERMS, ledger=tmp_path / "x.db", identity=reading)
    assert not (tmp_path / "x.db").exists()


def test_two_live_nodes_of_one_name_are_both_refused(caplog: pytest.LogCaptureFixture) -> None:
    grid, book = Village({1: ("car", 1.0), 2: ("car", 1.0), 3: ("bus", 1.0)}), directory()
    with caplog.at_level(logging.WARNING, logger="flwr"):
        assert grid.meet(book, 1) == {"bus": 3}
    assert book.refused == {1: "name taken", 2: "name taken"}
    assert "name taken (car)" in caplog.text
    del grid.said[2]
    assert grid.meet(book, 2) == {"bus": 3, "car": 1}, "the other one is gone"
    assert grid.asked == [[1, 2, 3]], "who has said its name is not asked again"


def test_a_live_holder_keeps_its_account() -> None:
    grid, book = Village({1: ("car", 1.0)}), directory()
    assert grid.meet(book, 1) == {"car": 1}
    grid.said[2] = ("car", 1.0)
    assert grid.meet(book, 2) == {"car": 1}
    del grid.said[1]
    assert grid.meet(book, 3) == {"car": 2}, "a dead predecessor leaves it to the next"


def test_the_same_key_takes_over_from_a_live_node() -> None:
    grid, book = Village({1: ("car", 1.0)}, {1: b"k", 2: b"other", 3: b"k"}), directory()
    grid.meet(book, 1)
    grid.said[2] = ("car", 1.0)
    assert grid.meet(book, 2) == {"car": 1}
    grid.said[3] = ("car", 1.0)
    assert grid.meet(book, 3) == {"car": 3}


def test_accounts_by_key_do_not_care_for_names() -> None:
    grid, book = Village({1: ("car", 1.0), 2: ("car", 1.0), 3: ("car", 1.0)}, {1: b"a", 2: b"b"}), directory("key")
    met = grid.meet(book, 1)
    assert sorted(met.values()) == [1, 2]
    assert all(name.startswith("key-") for name in met)
    assert book.refused == {3: "no public key"}


def test_a_mute_node_is_asked_at_longer_and_longer_intervals() -> None:
    grid, book = Village({1: ("car", 1.0), 2: None}), directory()
    for round in range(1, 201):
        assert grid.meet(book, round) == {"car": 1}
    asked = sum(2 in nodes for nodes in grid.asked)
    assert 5 <= asked <= 9
    assert sum(1 in nodes for nodes in grid.asked) == 1
    grid.said[2] = ("bus", 1.0)
    assert any("bus" in grid.meet(book, round) for round in range(201, 270))


@pytest.mark.parametrize(
    "name", ["", " car", "=1+1", "[red]x", "a\x00b", "a\x1b[2J", "\ud800", "x" * 101, "a\nb", "\u00e9"]
)
def test_names_that_nobody_may_have(name: str) -> None:
    grid, book = Village({1: (name, 1.0), 2: ("bus", 0.5)}), directory()
    assert grid.meet(book, 1) == {"bus": 2}
    assert book.refused == {1: "no usable name"}


@pytest.mark.parametrize(("iid", "counts"), [(0.5, 0.5), (1, 1.0), (7.0, 1.0), (-3.0, 0.0)])
def test_stated_iid_is_clipped(iid: float, counts: float) -> None:
    grid, book = Village({1: ("car", iid)}), directory()
    assert book.present(grid, [1], 1)["car"].iid == counts


def test_stated_iid_cannot_be_tried_out() -> None:
    """The first statement counts, also for the next node of the same client."""
    grid, book = Village({1: ("car", 0.2)}), directory()
    assert book.present(grid, [1], 1)["car"].iid == 0.2
    grid.said = {2: ("car", 0.9)}
    assert book.present(grid, [2], 2)["car"].iid == 0.2


@pytest.mark.parametrize(("iid", "counts"), [((0.4, 0.6), 0.6), (0.25, 0.25), (lambda name: len(name) / 10, 0.3)])
def test_the_server_may_know_better(iid: Any, counts: float) -> None:
    grid, book = Village({1: ("car", 1.0)}), directory(iid=iid)
    assert book.present(grid, [1], 1)["car"].iid == counts


@pytest.mark.parametrize("iid", [(0.5, 0.4), (-1.0, 1.0), 2.0, "stated"])
def test_bad_knowledge_is_refused(iid: Any) -> None:
    with pytest.raises(lefi.InputError, match="iid"):
        directory(iid=iid)


def test_stated_iid_survives_a_restart(tmp_path: Path) -> None:
    def play(rounds: int, iid: float) -> Any:
        grid = LocalGrid(toy.app(), 3)
        incentive = Incentive(toy.fedavg(), "waterfill", terms=toy.TERMS, ledger=tmp_path / "one.db")
        real = incentive.directory._iid
        incentive.directory._iid = lambda name, stated: real(name, iid)  # type: ignore[method-assign]
        incentive.start(grid, toy.model(), num_rounds=rounds)
        incentive.ledger.close()
        return incentive

    play(1, 0.3)
    again = play(2, 0.8)
    for receipt in again.ledger.receipts():
        np.testing.assert_array_equal(receipt.roster.iid, 0.3)

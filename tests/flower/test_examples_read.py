"""What the READMEs of the Flower examples tell a newcomer to type."""

import re

import pytest

from tests.flower.isolation import ROOT

READMES = ("examples/flower/README.md", "examples/quickstart/README.md")


def typed(name: str) -> list[str]:
    """The commands of a README, one each, with lines that go on joined."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)
    return [line for block in blocks for line in block.replace("\\\n", " ").splitlines()]


@pytest.mark.parametrize("name", READMES)
def test_the_simulation_engine_is_only_started_without_a_network(name: str) -> None:
    starts = [line for line in typed(name) if "flwr run" in line and " dep " not in line]
    assert starts
    assert all("unshare -n" in line and line.startswith("HOME=") for line in starts)
    before = "\n".join(typed(name)).partition("unshare")[0]
    for switch in ("RAY_USAGE_STATS_ENABLED=0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0", "ray_bootstrap_config.yaml"):
        assert switch in before


@pytest.mark.parametrize("name", READMES)
def test_a_newcomer_is_told_how_to_install_where_the_ledger_lies_and_what_a_second_run_does(name: str) -> None:
    text = (ROOT / name).read_text()
    assert any(line.startswith("pip install") for line in typed(name))
    assert any(line.startswith("lefi ledger show") for line in typed(name))
    assert "## A second run" in text

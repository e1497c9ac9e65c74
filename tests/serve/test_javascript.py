"""The client in JavaScript, which has read the OpenAPI file alone, plays a job; played again, nothing is paid twice."""

import shutil
import subprocess
from pathlib import Path

import pytest

from lefi.serve.tokens import Tokens, tokens_beside
from tests.serve.running import Caller, served

PROGRAM = Path(__file__).parents[2] / "examples" / "javascript" / "play.mjs"
NODE = shutil.which("node")


def play(*arguments: str) -> "subprocess.CompletedProcess[str]":
    assert NODE
    return subprocess.run([NODE, str(PROGRAM), *arguments], capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_a_job_from_javascript(tmp_path: Path) -> None:
    place = str(tmp_path / "ledger.db")
    token = Tokens(tokens_beside(place)).make("operator")
    with served(place) as caller:
        first, second = play(caller.url, token), play(caller.url, token)
        assert first.returncode == 0, first.stderr
        assert "round 10: " in first.stdout
        assert "audit: every payment follows" in first.stdout
        assert first.stdout == second.stdout
        state = Caller(caller.url, token)("GET", "/v1/jobs/javascript").json
        assert (state["settled"], state["state"]) == (10, "finished")
        assert 0 < float(state["spent"]) <= 10
        refused = play(caller.url)
        assert refused.returncode != 0
        assert "401: show a token" in refused.stderr

"""The requests and the program on the page of the service do what it says."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

from tests.docs.programs import programs
from tests.docs.prose import ROOT
from tests.serve.running import served

PAGE = ROOT / "docs" / "service.md"


def test_the_requests_of_the_page(tmp_path: Path) -> None:
    (block,) = programs(PAGE, "sh")
    with served(tmp_path / "jobs.db") as call:
        replies = [call(*request(line)) for line in block.replace("\\\n", " ").splitlines()]
    assert [reply.status for reply in replies] == [201, 200, 200]
    assert replies[-1].json["verdicts"] == ["accepted", "no answer"]


def request(line: str) -> tuple[str, str, Any]:
    """What `curl` would send."""
    words = shlex.split(line)
    assert words[0] == "curl"
    method, place = words[2], words[3]
    assert place.startswith(":8400/")
    return method, place.removeprefix(":8400"), json.loads(words[words.index("-d") + 1])


def test_the_program_of_the_page(tmp_path: Path, capsys: Any) -> None:
    (program,) = programs(PAGE)
    with served(tmp_path / "jobs.db") as call:
        here, found = re.subn(r"http://127\.0\.0\.1:8400", call.url, program)
        assert found == 1
        exec(compile(here, PAGE.name, "exec"), {"__name__": "page"})
    assert len(capsys.readouterr().out.splitlines()) >= 20

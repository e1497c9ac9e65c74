"""Who may do what: every route under every role, tokens that are revoked, refusals that are written down."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lefi import LefiError
from lefi.cli import app
from lefi.serve.context import ROLES
from lefi.serve.gate import HEADERS
from lefi.serve.server import Address, server
from lefi.serve.tokens import Tokens, tokens_beside
from tests.serve.running import Caller, Reply, served
from tests.serve.test_rounds import ANSWERS, ROSTER, job

# The least role that each operation needs; every operation of the OpenAPI file is here, or the test fails.
NEEDS = {
    "createJob": "operator", "preview": "operator", "openRound": "operator", "answer": "operator",
    "orderJob": "operator", "changeBudget": "operator", "listJobs": "auditor", "getJob": "auditor",
    "getRound": "auditor", "exportJob": "auditor", "verifyJob": "auditor", "watchJob": "auditor",
    "statement": "client", "whoAmI": "client", "signIn": None, "signOut": None,
}  # fmt: skip
BODIES: dict[str, Any] = {
    "createJob": job("second"), "preview": ROSTER, "openRound": ROSTER, "answer": ANSWERS,
    "changeBudget": {"budget": 1.0}, "signIn": {"token": "nothing"},
}  # fmt: skip


def lefi(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.stderr
    return result.stdout.strip()


@dataclass(frozen=True)
class Guarded:
    place: str
    tokens: dict[str, str]
    url: str

    def call(self, role: str | None) -> Caller:
        return Caller(self.url, None if role is None else self.tokens[role])

    def refusals(self) -> list[dict[str, Any]]:
        lines = Path(f"{self.place}.refused").read_text().splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    place = str(tmp_path_factory.mktemp("roles") / "ledger.db")
    tokens = {role: lefi("token", "make", role, "--ledger", place) for role in ("operator", "auditor")}
    own = ("--job", "a", "--client", "car-1")
    tokens["client"] = lefi("token", "make", "client", "--ledger", place, *own)
    with served(place) as caller:
        made = Guarded(place, tokens, caller.url)
        call = made.call("operator")
        assert call("POST", "/v1/jobs", job("a")).status == 201
        call("PUT", "/v1/jobs/a/rounds/1", ROSTER)
        call("POST", "/v1/jobs/a/rounds/1/answers", ANSWERS)
        yield made


def operations(guarded: Guarded) -> dict[str, tuple[str, str]]:
    """Method and path of each operation under /v1, but for the pages' own."""
    paths = guarded.call("operator")("GET", "/v1/openapi.json").json["paths"]
    values = {"{job}": "a", "{round}": "1", "{order}": "pause", "{client}": "car-1"}
    found = {}
    for path, methods in paths.items():
        for method, said in methods.items():
            if path.startswith(("/v1/views", "/v1/playground")):
                continue
            filled = path
            for name, value in values.items():
                filled = filled.replace(name, value)
            found[said["operationId"]] = (method.upper(), filled)
    return found


def test_every_operation_under_every_role(guarded: Guarded) -> None:
    found = operations(guarded)
    assert found.keys() == NEEDS.keys()
    for name, (method, path) in found.items():
        need, body = NEEDS[name], BODIES.get(name)
        if need is None:
            continue
        assert guarded.call(None)(method, path, body).status == 401, name
        for role in ROLES:
            if ROLES.index(role) < ROLES.index(need):
                reply = guarded.call(role)(method, path, body)
                assert (reply.status, reply.json["field"]) == (403, "role"), name


def test_nothing_is_told_without_a_token(guarded: Guarded) -> None:
    """The pages' own routes included; what is open to all is the page itself, which knows nothing."""
    paths = guarded.call(None)("GET", "/v1/openapi.json").json["paths"]
    tried = 0
    for path, methods in paths.items():
        for method, said in methods.items():
            if NEEDS.get(said["operationId"], "") is not None:
                filled = path.replace("{job}", "a").replace("{round}", "1").replace("{client}", "car-1")
                reply = guarded.call(None)(method.upper(), filled.replace("{order}", "pause"))
                assert reply.status == 401, (method, path)
                tried += 1
    assert tried > len(NEEDS)


def test_a_client_sees_its_own_statement_alone(guarded: Guarded) -> None:
    call = guarded.call("client")
    own = call("GET", "/v1/jobs/a/statement")
    assert own.status == 200
    assert {line["client"] for line in own.json["lines"]} == {"car-1"}
    assert call("GET", "/v1/jobs/a/statement?client=car-1").json == own.json
    for path in ("/v1/jobs/a/statement?client=7", "/v1/jobs/other/statement", "/v1/jobs/a/statement?client="):
        assert call("GET", path).status == 403
    everybody = guarded.call("auditor")("GET", "/v1/jobs/a/statement").json
    assert len(everybody["lines"]) > len(own.json["lines"])
    assert call("GET", "/v1/me").json == {"role": "client", "job": "a", "client": "car-1", "tokens": True}


def test_refusals_are_written_down(guarded: Guarded) -> None:
    before = len(guarded.refusals())
    guarded.call(None)("POST", "/v1/jobs/a/stop")
    guarded.call("auditor")("POST", "/v1/jobs/a/stop")
    guarded.call("client")("GET", "/v1/jobs/a/statement?client=7")
    Caller(guarded.url, "lefi_00000000_" + "0" * 64)("GET", "/v1/jobs/a%0Ab")
    noted = guarded.refusals()[before:]
    assert [line["status"] for line in noted] == [401, 403, 403, 401]
    assert [line["token"] for line in noted] == [
        "",
        guarded.tokens["auditor"][5:13],
        guarded.tokens["client"][5:13],
        "",
    ]
    assert noted[3]["path"] == "/v1/jobs/a?b"
    text = Path(f"{guarded.place}.refused").read_text()
    assert not any(token in text for token in guarded.tokens.values())
    assert guarded.call("operator")("GET", "/v1/jobs/a").json["state"] == "running"


def test_tokens_are_kept_as_hashes_and_revoked_at_once(guarded: Guarded) -> None:
    file = Path(f"{guarded.place}.tokens")
    assert file.stat().st_mode & 0o077 == 0
    assert not any(token.rpartition("_")[2] in file.read_text() for token in guarded.tokens.values())
    token = lefi("token", "make", "auditor", "--ledger", guarded.place)
    call = Caller(guarded.url, token)
    assert call("GET", "/v1/jobs").status == 200
    assert token[5:13] in lefi("token", "list", "--ledger", guarded.place)
    lefi("token", "revoke", token[5:13], "--ledger", guarded.place)
    assert call("GET", "/v1/jobs").status == 401
    assert "revoked" in lefi("token", "list", "--ledger", guarded.place)


@pytest.mark.parametrize(
    "arguments", [("make", "king"), ("make", "client"), ("make", "auditor", "--job", "a"), ("revoke", "12")]
)
def test_bad_orders_for_tokens_are_one_line(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, ["token", *arguments, "--ledger", str(tmp_path / "ledger.db")])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")


def test_a_page_keeps_its_token_in_a_cookie(guarded: Guarded) -> None:
    call = Caller(guarded.url)
    reply = call("POST", "/v1/session", {"token": guarded.tokens["auditor"]})
    cookie = reply.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    kept = cookie.split(";")[0]
    assert call("GET", "/v1/jobs", cookie=kept).status == 200
    assert call("POST", "/v1/jobs/a/stop", cookie=kept).status == 403
    assert call("POST", "/v1/session", {"token": "lefi_1_2"}).status == 401
    assert 'lefi_token=""' in call("DELETE", "/v1/session", cookie=kept).headers["set-cookie"]


def test_headers_and_strangers(guarded: Guarded) -> None:
    call = guarded.call("operator")
    replies: list[Reply] = [call("GET", "/v1/jobs"), call("GET", "/nowhere"), Caller(guarded.url)("GET", "/v1/jobs")]
    for reply in replies:
        assert reply.headers.items() >= HEADERS.items()
        assert "unsafe" not in reply.headers["content-security-policy"]
        assert "server" not in reply.headers
    assert call("GET", "/v1/jobs", host="evil.example").status == 421
    assert call("GET", "/v1/jobs", host="[").status == 421
    assert call("POST", "/v1/jobs/a/stop", origin="http://evil.example").status == 403
    assert call("POST", "/v1/jobs/a/stop", origin="null").status == 403
    assert call("GET", "/v1/jobs", origin=guarded.url).status == 200


def test_beyond_this_machine_tokens_and_tls_are_demanded(tmp_path: Path) -> None:
    place, file = str(tmp_path / "ledger.db"), tmp_path / "tls.pem"
    file.write_text("not looked into before it listens")
    for host in ("0.0.0.0", "10.0.0.1", "example.org"):
        with pytest.raises(LefiError, match="tls-cert"):
            server(place, Address(host))
        with pytest.raises(LefiError, match="make a token first"):
            server(place, Address(host, cert=file, key=file))
    with pytest.raises(LefiError, match="together with the key"):
        server(place, Address("0.0.0.0", cert=file))
    Tokens(tokens_beside(place)).make("auditor")
    with pytest.raises(LefiError, match="make a token first"):
        server(place, Address("0.0.0.0", cert=file, key=file))


def test_a_damaged_file_of_tokens_lets_nobody_in(tmp_path: Path) -> None:
    place = str(tmp_path / "ledger.db")
    token = Tokens(tokens_beside(place)).make("operator")
    with served(place) as caller:
        call = Caller(caller.url, token)
        assert call("GET", "/v1/jobs").status == 200
        Path(f"{place}.tokens").write_text("[{}]")
        assert call("GET", "/v1/jobs").status == 409
        Path(f"{place}.tokens").unlink()
        assert call("GET", "/v1/jobs").status == 401

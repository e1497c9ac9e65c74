"""Requests that follow the OpenAPI file, and requests that nearly do: whatever comes, no 500 and no hang.

`python -m tests.serve.fuzz --requests 5000` for the long run; tests/serve/test_fuzz.py sends a few hundred.
"""

import argparse
import http.client
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lefi.serve.limits import Limits
from tests.serve.running import Caller, served

PATIENCE = 60  # seconds for a reply, on a machine that does other things, too
LIMITS = Limits(requests=1e6, burst=10**6, jobs=30, live=4)
SMALL = {"maxItems": 6}  # clients and sizes; large ones are the benchmark's
# What a caller who has read the documentation would write; the schema alone allows all words.
JOBS = ("price", "auction", "uniform")
LIKELY: dict[str, list[Any]] = {
    "job": [f"{name}-{n}" for name in JOBS for n in range(4)],
    "mechanism": ["price", "uniform", "auction", "contract", "pool", "flat", "contest", "lefi"],
    "round": [1, 1, 1, 2, 2, 3],
    "order": ["pause", *["resume"] * 20],
    "clients": [["c1", "c2", "c3"]] * 3,
    "sizes": [[0.5, 0.1, 0.3], [0.0, None, 1.0]],
    "iid": [0.0, 0.5, 1.0],
    "rate": [0.75, 0.1, 2.0],
    "unit": ["1e-9", "0.01", "1"],
    "kind": ["price", "curve", "menu", "pool", "rank", "call", "auction"],
    "accuracy": ["model", 0.5, None, "paper"],
    "client": ["c1", "c2", "c3"],
    "format": ["csv", "json", "parquet"],
    "budget": [0.001, 1.0, 5.0, 1e9],
}
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
    | st.sampled_from([10**400, -(2**63), 1e308, -0.0, "\x00", "\ud800", "a" * 5000, "../..", "1e400", [[]] * 3]),
    lambda part: st.lists(part, max_size=4) | st.dictionaries(st.text(max_size=8), part, max_size=4),
    max_leaves=8,
)  # fmt: skip


@dataclass(frozen=True)
class Request:
    """One request as it is sent."""

    operation: str
    method: str
    path: str
    body: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict)


class Generator:
    """Strategies from an OpenAPI file."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self.spec = spec

    def requests(self) -> st.SearchStrategy[Request]:
        each = [
            self.request(method, path, said)
            for path, methods in self.spec["paths"].items()
            for method, said in methods.items()
            for _ in range(self.weight(said))
        ]
        return st.one_of(each)

    def weight(self, said: dict[str, Any]) -> int:
        """How often an operation is tried: what changes something oftener than what reads."""
        return 4 if "requestBody" in said else 1

    @st.composite
    def _request(draw: Callable[..., Any], self: "Generator", method: str, path: str, said: dict[str, Any]) -> Request:  # noqa: N805
        query = {}
        for parameter in said.get("parameters", ()):
            name = parameter["name"]
            value = draw(
                self.value(parameter["schema"], name) | (JUNK if draw(st.integers(0, 9)) == 0 else st.nothing())
            )
            if parameter["in"] == "path":
                path = path.replace(f"{{{name}}}", quote(_text(value), safe="", errors="replace") or "x")
            elif parameter["in"] == "query" and draw(st.booleans()):
                query[name] = _text(value)
        asked = path + (f"?{urlencode(query, errors='replace')}" if query else "")
        body, headers = None, {}
        if "requestBody" in said:
            schema = said["requestBody"]["content"]["application/json"]["schema"]
            body = draw(self.body(schema))
            headers["content-type"] = draw(st.sampled_from(["application/json"] * 9 + ["text/plain"]))
        return Request(said.get("operationId", asked), method.upper(), asked, body, headers)

    def request(self, method: str, path: str, said: dict[str, Any]) -> st.SearchStrategy[Request]:
        return self._request(method, path, said)

    def body(self, schema: dict[str, Any]) -> st.SearchStrategy[bytes]:
        good = self.value(schema, "")
        bent = st.tuples(good, st.randoms(use_true_random=False), JUNK).map(lambda parts: _bent(*parts))
        kinds = (good, good, good, good, bent, JUNK)
        return st.one_of(*(kind.map(_dumped) for kind in kinds), st.binary(max_size=50))

    def value(self, schema: dict[str, Any], name: str) -> st.SearchStrategy[Any]:
        """Values that the schema allows; likely ones where a name says what is meant."""
        if "$ref" in schema:
            schema = self.spec["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        found = self._value(schema, name)
        likely = st.sampled_from(LIKELY.get(name, [None]))
        return st.one_of(*[likely] * 7, found) if name in LIKELY else found

    def _value(self, schema: dict[str, Any], name: str) -> st.SearchStrategy[Any]:
        if "const" in schema or "enum" in schema:
            return st.sampled_from(schema.get("enum", [schema.get("const")]))
        for several in ("anyOf", "oneOf", "allOf"):
            if several in schema:
                return st.one_of([self.value(one, name) for one in schema[several]])
        kinds: dict[str, Callable[[], st.SearchStrategy[Any]]] = {
            "null": lambda: st.none(),
            "boolean": st.booleans,
            "integer": lambda: st.integers(*_bounds(schema)),
            "number": lambda: _numbers(schema),
            "string": lambda: _strings(schema),
            "array": lambda: self._array(schema, name),
            "object": lambda: self._object(schema),
        }
        return kinds[schema["type"]]() if "type" in schema else JUNK

    def _array(self, schema: dict[str, Any], name: str) -> st.SearchStrategy[Any]:
        if name == "clients":
            return st.lists(st.sampled_from(["c1", "c2", "c3", "c4"]), min_size=1, unique=True)
        inner = self.value(schema["items"], "") if "items" in schema else JUNK
        return st.lists(inner, min_size=schema.get("minItems", 0), max_size=SMALL["maxItems"])

    def _object(self, schema: dict[str, Any]) -> st.SearchStrategy[Any]:
        named = {name: self.value(part, name) for name, part in schema.get("properties", {}).items()}
        required = set(schema.get("required", ()))
        fixed = {name: named[name] for name in named if name in required}
        free = {name: named[name] for name in named if name not in required}
        if named:
            return st.fixed_dictionaries(fixed, optional=free)
        more = schema.get("additionalProperties")
        inner = self.value(more, "") if isinstance(more, dict) else JUNK
        return st.dictionaries(st.from_regex(r"[a-z]{1,6}", fullmatch=True), inner, max_size=3)


def _bounds(schema: dict[str, Any]) -> tuple[Any, Any]:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    return low, high if high is None or "maximum" in schema else high - 1


def _numbers(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    low, high = (schema.get(name, schema.get(f"exclusive{name.capitalize()}")) for name in ("minimum", "maximum"))
    return st.floats(low, high, allow_nan=False, allow_infinity=False) | st.sampled_from([0, 0.5, 1.0, 3])


def _strings(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    if "pattern" in schema:
        return st.from_regex(schema["pattern"], fullmatch=True)
    return st.text(max_size=min(schema.get("maxLength", 30), 30))


def _bent(value: Any, random: Any, junk: Any) -> Any:
    """The value with one part replaced, added or left out."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        name = random.choice(sorted(value))
        change = random.random()
        if change < 0.2:
            return {key: part for key, part in value.items() if key != name}
        return value | ({"more": junk} if change < 0.3 else {name: _bent(value[name], random, junk)})
    if isinstance(value, list) and value and random.random() < 0.7:
        at = random.randrange(len(value))
        return [*value[:at], _bent(value[at], random, junk), *value[at + 1 :]]
    return junk


def _dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


class Target:
    """A service with a few jobs, and what it answered so far."""

    def __init__(self, call: Caller) -> None:
        self.call, self.seen, self.slowest = call, Counter[tuple[str, int]](), 0.0
        for job in LIKELY["job"]:
            body = {"job": job, "mechanism": job.partition("-")[0], "terms": {"budget": 5.0}}
            assert call("POST", "/v1/jobs", body).status == 201
            if not job.endswith("-0"):  # most have a round that waits for answers
                asked = {"clients": ["c1", "c2", "c3"], "bids": [0.1, 0.2, None]}
                assert call("PUT", f"/v1/jobs/{job}/rounds/1", asked).status == 200
        self.generator = Generator(call("GET", "/v1/openapi.json").json)

    def send(self, request: Request) -> None:
        """Send it; fails where the service does."""
        line = http.client.HTTPConnection(urlsplit(self.call.url).netloc, timeout=PATIENCE)
        start = time.monotonic()
        try:
            line.request(request.method, request.path, request.body, request.headers)
            reply = line.getresponse()
            kind = reply.getheader("content-type", "")
            data = b"" if kind.startswith("text/event-stream") else reply.read()
            reply.close()
        finally:
            line.close()
        self.slowest = max(self.slowest, time.monotonic() - start)
        self.seen[request.operation, reply.status] += 1
        assert reply.status < 500 or reply.status == 503, (request, data)
        if reply.status >= 400:
            assert kind == "application/problem+json", (request, reply.status, kind)
            assert json.loads(data)["status"] == reply.status

    def audited(self) -> list[str]:
        """What audits find in all jobs."""
        jobs = [job["job"] for job in self.call("GET", "/v1/jobs").json["jobs"]]
        return [line for job in jobs for line in self.call("GET", f"/v1/jobs/{job}/verify").json["findings"]]


def fuzz(target: Target, requests: int, same: bool = False) -> None:
    """Send that many; the `same` every time, or others."""

    @settings(
        max_examples=requests, derandomize=same, deadline=None, database=None, phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(target.generator.requests())
    def sent(request: Request) -> None:
        target.send(request)

    sent()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=5000)
    wanted = parser.parse_args().requests
    with tempfile.TemporaryDirectory() as folder, served(f"{folder}/ledger.db", LIMITS) as call:
        target = Target(call)
        fuzz(target, wanted)
        assert target.audited() == []
    for (operation, status), count in sorted(target.seen.items()):
        print(f"{operation:<14} {status}  {count}")
    print(f"{sum(target.seen.values())} requests, the slowest reply took {target.slowest:.2f} s, audits found nothing")


if __name__ == "__main__":
    main()

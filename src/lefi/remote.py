"""`Remote`: a mechanism that lives in a service. Asked and told like any other, over HTTP.

`ask` is a preview, which writes nothing. `tell` opens the round in the service and closes it with the answers. Requests
are idempotent, so one that got no reply is sent again.
"""

import http.client
import json
import ssl
import time
from collections.abc import Mapping
from dataclasses import fields
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np

from lefi.arrays import FloatArray
from lefi.errors import InputError, LefiError
from lefi.messages import Offer, Receipt, Roster, Terms
from lefi.offers import AuctionAward, AuctionCall, PrincipalCall
from lefi.offers.columns import kind_of, loaded_class

PATIENCE = 30.0  # seconds for which a service that does not answer is tried again
PAUSE = 0.2  # seconds between two tries
TIMEOUT = 600.0  # seconds for one reply: a round of a hundred thousand clients takes some


class RemoteError(LefiError):
    """What the service refused, in its words; `problem` is all that it said."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        super().__init__(f"the service refused ({status}): {problem.get('detail', problem.get('title', ''))}")
        self.status, self.problem = status, problem


class Connection:
    """One connection to a service, opened again where it broke."""

    def __init__(
        self, url: str, token: str | None, patience: float = PATIENCE, context: ssl.SSLContext | None = None
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError("url", url, "such as http://127.0.0.1:8400")
        self.parts, self.patience, self.context = parts, patience, context
        self.headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {token}"} if token else {})
        self.line: http.client.HTTPConnection | None = None

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """What the service replies. It is tried again while there is no service, or none that has time."""
        text = None if body is None else json.dumps(body, allow_nan=False)
        end = time.monotonic() + self.patience
        while True:
            try:
                status, data = self._once(method, path, text)
                if status not in (429, 503) or time.monotonic() > end:
                    break
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if time.monotonic() > end:
                    raise LefiError(f"the service {self.parts.netloc} does not answer: {error}") from None
            time.sleep(PAUSE)
        try:
            told = json.loads(data) if data else {}
        except ValueError:
            told = {"detail": "its answer is no JSON"}
            status = max(status, 400)
        if status >= 400:
            raise RemoteError(status, told)
        return told

    def _once(self, method: str, path: str, text: str | None) -> tuple[int, bytes]:
        if self.line is None:
            host, port = self.parts.hostname or "", self.parts.port
            if self.parts.scheme == "https":
                self.line = http.client.HTTPSConnection(host, port, timeout=TIMEOUT, context=self.context)
            else:
                self.line = http.client.HTTPConnection(host, port, timeout=TIMEOUT)
        self.line.request(method, self.parts.path.rstrip("/") + path, text, self.headers)
        reply = self.line.getresponse()
        return reply.status, reply.read()

    def close(self) -> None:
        if self.line is not None:
            self.line.close()
            self.line = None


class Remote:
    """The mechanism of a job in a service. The job must be there: `Remote.create` begins one.

    `patience`: seconds for which a service that does not answer is tried again. `context`: whom to trust over https.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        job: str = "job",
        *,
        patience: float = PATIENCE,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.connection = Connection(url, token, patience, context)
        self.path = f"/v1/jobs/{quote(job, safe='')}"
        state = self.state()
        self.job, self.payment, self.budget = job, str(state["payment"]), float(state["terms"]["budget"])

    @classmethod
    def create(
        cls,
        url: str,
        token: str | None = None,
        job: str = "job",
        *,
        terms: Terms,
        mechanism: str = "waterfill",
        settings: Mapping[str, Any] | None = None,
        seed: int = 0,
        patience: float = PATIENCE,
        context: ssl.SSLContext | None = None,
    ) -> "Remote":
        """Begin a job with a mechanism under these terms; the same job again is found as it is."""
        connection = Connection(url, token, patience, context)
        body = {"job": job, "mechanism": mechanism, "settings": dict(settings or {}), "seed": seed}
        connection.call("POST", "/v1/jobs", body | {"terms": _terms(terms)})
        connection.close()
        return cls(url, token, job, patience=patience, context=context)

    def state(self) -> dict[str, Any]:
        """How the job stands."""
        return dict(self.connection.call("GET", self.path))

    @property
    def done(self) -> str | None:
        """Why the mechanism in the service wants no further round; None while it goes on."""
        said = self.state().get("done")
        return str(said) if said else None

    def ask(self, roster: Roster, budget: float | None = None) -> Any:
        """The offer that the next round would make; nothing is written."""
        told = self.connection.call("POST", f"{self.path}/preview", _roster(roster, self._told(budget)))
        if told["left_out"]:
            raise LefiError(f"{len(told['left_out'])} clients get no offer: they are blocked, or paid up to their cap")
        kind, columns = told["offer"]["kind"], {name: _array(row) for name, row in told["offer"]["columns"].items()}
        if kind in ("call", "contracts"):  # ids are too long for a column of floats
            rule = PrincipalCall if kind == "contracts" else AuctionCall
            return rule(float(columns["budget"][0]), columns["value"], columns["limit"], roster.ids)
        return loaded_class(kind).from_columns(columns, roster.rate)

    def tell(self, receipt: Receipt) -> None:
        """Let the service write the round down and learn from it. A round that it knows is not written again."""
        body = _roster(receipt.roster, self._told(receipt.budget)) | _offered(receipt.offer)
        self.connection.call("PUT", f"{self.path}/rounds/{receipt.round}", body)
        accuracy = None if receipt.accuracy != receipt.accuracy else receipt.accuracy
        told = {"sizes": _list(receipt.sizes), "accuracy": accuracy}
        self.connection.call("POST", f"{self.path}/rounds/{receipt.round}/answers", told)

    def _told(self, budget: float | None) -> float | None:
        """The terms' own budget is left out, so that an operator can change it while the job runs."""
        return None if budget == self.budget else budget

    def close(self) -> None:
        self.connection.close()


def _terms(terms: Terms) -> dict[str, Any]:
    table = terms.accuracy.to_dict() if hasattr(terms.accuracy, "to_dict") else None
    if table is None:
        raise InputError("terms.accuracy", terms.accuracy, "a fitted model: coefficients can be sent, code cannot")
    told = {field.name: getattr(terms, field.name) for field in fields(Terms) if field.name != "payment"}
    return told | {"accuracy": table}


def _roster(roster: Roster, budget: float | None) -> dict[str, Any]:
    told = {
        "clients": [str(id) for id in roster.ids.tolist()],
        "iid": roster.iid.tolist(),
        "rate": roster.rate.tolist(),
    }
    return told if budget is None else told | {"budget": budget}


def _offered(offer: Offer) -> dict[str, Any]:
    """The offer as it was made; of an auction the bids, for the service has the rule."""
    if isinstance(offer, AuctionAward):
        return {"bids": _list(offer.bids)}
    return {
        "offer": {"kind": kind_of(offer), "columns": {name: _list(row) for name, row in offer.to_columns().items()}}
    }


def _list(values: FloatArray) -> list[float | None]:
    return [None if value != value else value for value in np.asarray(values, dtype=np.float64).tolist()]


def _array(values: list[float | None]) -> FloatArray:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

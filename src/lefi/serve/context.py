"""What the pages may ask of the service: readers of the ledger, beliefs of live mechanisms, who is calling."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from fastapi import Request

from lefi.arrays import IntArray
from lefi.ledger import Ledger
from lefi.mechanisms.explanation import Explanation

Role = Literal["operator", "auditor", "client"]
ROLES: tuple[Role, ...] = ("client", "auditor", "operator")  # each may do all that those before it may


@dataclass(frozen=True)
class Caller:
    """Who is calling. A client is bound to one name in one job and sees its own account alone.

    >>> from lefi.serve import Caller
    >>> Caller("auditor").may("operator"), Caller("client", "job", "car-0").sees("job", "car-1")
    (False, False)
    """

    role: Role
    job: str = ""
    client: str = ""
    token: str = ""  # the public half of the token that was shown; empty where none is asked for

    def may(self, role: Role) -> bool:
        return ROLES.index(self.role) >= ROLES.index(role)

    def sees(self, job: str, client: str) -> bool:
        """Whether it may look into the account of that client."""
        return self.role != "client" or (self.job, self.client) == (job, client)


@dataclass(frozen=True)
class Context:
    """The service as its pages see it.

    place    where the ledger is, without passwords
    reader   a ledger of one job, opened for reading; may be called from any thread. Unknown jobs raise UnknownName
    jobs     names of all jobs in the ledger
    explain  what the mechanism of a job believes of these clients (`lefi.ledger.client_id` of their names), or None
    done     why the mechanism of a job wants no further round, or None
    guard    a FastAPI dependency that demands a role and gives the `Caller`; everybody is operator on loopback
             without tokens. Who takes "client" has to call `own`
    own      refuses, and writes down, a client that asks for the account of another client or job

    >>> from tempfile import mkdtemp
    >>> from lefi.serve import make_app
    >>> app = make_app(mkdtemp() + "/ledger.db")
    >>> app.state.context.jobs()
    []
    >>> app.state.jobs.close()
    """

    place: str
    reader: Callable[[str], Ledger]
    jobs: Callable[[], list[str]]
    explain: Callable[[str, IntArray], Explanation | None]
    done: Callable[[str], str | None]
    guard: Callable[[Role], Callable[[Request], Caller]]
    own: Callable[[Request, Caller, str, str | None], None]

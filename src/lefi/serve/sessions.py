"""Routes about the caller itself: who it is, and a cookie for pages, which cannot send a header with every request."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel
from starlette.responses import Response

from lefi.serve.bodies import TokenBody
from lefi.serve.callers import COOKIE, Callers
from lefi.serve.context import Caller, Role
from lefi.serve.problems import Refusal

WEEK = 7 * 24 * 3600  # seconds that a page stays signed in


class Me(BaseModel):
    """Who is calling."""

    role: Role
    job: str
    client: str
    tokens: bool  # whether this service asks for tokens at all


def sessions(callers: Callers) -> APIRouter:
    router = APIRouter(prefix="/v1", tags=["caller"])

    def told(caller: Caller) -> Me:
        return Me(role=caller.role, job=caller.job, client=caller.client, tokens=callers.tokens is not None)

    @router.get("/me", operation_id="whoAmI")
    def me(caller: Annotated[Caller, Depends(callers.guard("client"))]) -> Me:
        """The role of this token."""
        return told(caller)

    @router.post("/session", operation_id="signIn")
    def sign_in(body: TokenBody, request: Request, response: Response) -> Me:
        """Keep a token in a cookie that scripts cannot read."""
        found = Caller("operator") if callers.tokens is None else callers.tokens.caller(body.token)
        if found is None:
            callers.refused.note(request, 401, "a token that is not good")
            raise Refusal(401, "this token is not good")
        secure = request.url.scheme == "https"
        response.set_cookie(COOKIE, body.token, max_age=WEEK, httponly=True, samesite="strict", secure=secure)
        return told(found)

    @router.delete("/session", operation_id="signOut", status_code=204)
    def sign_out(response: Response) -> None:
        """Forget the cookie."""
        response.delete_cookie(COOKIE)

    return router

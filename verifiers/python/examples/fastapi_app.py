"""
An app and an API in FastAPI. Start it beside a service::

    AUTH_WORKER_URL=http://localhost:8787/auth AUDIENCE=http://localhost:8000/ uvicorn fastapi_app:app
"""

import os
from typing import Optional

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse

from latchkey_verifier import AccessToken, Refusal, Session, Unavailable, Verifier

verifier = Verifier(os.environ["AUTH_WORKER_URL"], audience=os.environ.get("AUDIENCE"))
app = FastAPI()


# A read may wait for the service: FastAPI runs a function with `def` in a thread.
def session_of(request: Request) -> Session:
    """The session of the request; a browser whose token has expired is sent to the service, and comes back."""
    reading = verifier.read_session(request.headers.get("cookie"), request.headers.get("secure-session-skipped"))
    if reading.session is not None:
        return reading.session
    if reading.expired and request.method == "GET" and "text/html" in request.headers.get("accept", ""):
        raise HTTPException(302, headers={"Location": verifier.renew_url(str(request.url))})
    raise HTTPException(401, "SessionRequired")


class TokenRefused(Exception):
    def __init__(self, refusal: Refusal) -> None:
        self.refusal = refusal


def notes_token(request: Request) -> AccessToken:
    """The access token, or the API key, of the request, with the scope ``notes:read``."""
    found = verifier.read_token(request.headers.get("authorization"), scope="notes:read")
    if isinstance(found, Refusal):
        raise TokenRefused(found)
    return found


@app.exception_handler(TokenRefused)
def refused(request: Request, error: TokenRefused) -> JSONResponse:
    headers = {"WWW-Authenticate": error.refusal.challenge, "Cache-Control": "no-store"}
    return JSONResponse({"error": error.refusal.error}, error.refusal.status, headers)


@app.exception_handler(Unavailable)
def unavailable(request: Request, error: Unavailable) -> JSONResponse:
    return JSONResponse({"error": "unavailable"}, 503, {"Retry-After": "5", "Cache-Control": "no-store"})


@app.get("/me")
def me(session: Session = Depends(session_of)) -> dict[str, Optional[str]]:
    return {"sub": session.sub, "name": session.user.get("name"), "role": session.data.get("role")}


@app.get("/notes")
def notes(token: AccessToken = Depends(notes_token)) -> dict[str, str]:
    return {"sub": token.sub, "client": token.client_id}

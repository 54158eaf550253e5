"""
Answers questions about tokens, one JSON object a line, as verifiers/README.md describes them: the first line of the input has the
issuer, the audience and the key sets. The tests compare the answers with those of the other verifiers.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Mapping, Optional

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

from latchkey_verifier import KeysInvalid, Refusal, Refused, Unavailable, Verifier
from latchkey_verifier.feed import read_feed
from latchkey_verifier.tokens import acr_of, import_keys, is_api_key, session_tokens

head = json.loads(sys.stdin.readline())
keys = {name: import_keys(text, name == "access") for name, text in head["jwks"].items()}


class Kept:
    """The verifier of questions with an ``address``, which asks a real service by a clock that the questions set."""

    verifier: Optional[Verifier] = None
    now = 0


def verifier_of(asked: Mapping[str, Any]) -> Verifier:
    if "address" in asked:
        Kept.now = asked["now"]
        if Kept.verifier is None:
            Kept.verifier = Verifier(
                asked["address"], issuer=head["issuer"], audience=head["audience"], now=lambda: Kept.now, on_error=lambda _: None
            )
        return Kept.verifier
    issuer = asked.get("issuer", head["issuer"])
    more: dict[str, Any] = {
        "audience": asked.get("audience", head["audience"]),
        "machine": asked.get("machine", False),
        "now": lambda: asked["now"],
        "on_error": lambda error: None,
    }
    if "keys" in asked:
        given = "access_keys" if asked["kind"] == "access" else "public_keys"
        return Verifier(issuer=issuer, **{given: head["jwks"][asked["keys"]]}, **more)
    service = {"/jwks.json": head["jwks"]["session"], "/oauth/jwks.json": head["jwks"]["access"], **asked["service"]}

    def fetch(url: str, form: Optional[bytes], headers: Mapping[str, str], limit: int, timeout: float) -> tuple[int, str]:
        text = service.get(url[len(issuer) :])
        return (404, "") if text is None else (200, text)

    return Verifier(issuer, fetch=fetch, **more)


def answer(asked: Mapping[str, Any]) -> Any:
    kind = asked["kind"]
    try:
        if kind == "cookie":
            return session_tokens(asked["header"], asked["name"])
        if kind == "api-key":
            return is_api_key(asked["text"])
        if kind == "acr":
            return acr_of(asked["amr"])
        if kind == "jwks":
            return sorted(import_keys(asked["text"], asked["access"]))
        if kind == "feed":
            read_feed(asked["text"], keys[asked["keys"]], asked.get("of"))
            return "good"
        verifier = verifier_of(asked)
        if kind == "session":
            verifier.verify_session(asked["token"])
            return "live"
        if kind == "read-session":
            reading = verifier.read_session(asked["cookie"], asked.get("skipped"))
            if reading.session is None:
                return "expired" if reading.expired else "nobody"
            return f"{reading.session.sub} {reading.session.user.get('id') or 'none'}"
        found = verifier.read_token(
            asked["authorization"], scope=asked.get("scope"), max_age=asked.get("maxAge"), acr=asked.get("acr")
        )
        return [found.reason, found.challenge] if isinstance(found, Refusal) else ["live", ""]
    except Refused as refused:
        return refused.reason
    except KeysInvalid:
        return "invalid"
    except Unavailable:
        return "unavailable"


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line)), ensure_ascii=True, separators=(",", ":")), flush=True)

"""The verifier of an app or an API: it verifies locally, and still refuses within seconds what has ended."""

from __future__ import annotations

import logging
import re
import time
import urllib.parse
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, Callable, Literal, Mapping, Optional, Sequence, Union

from .feed import FeedReader, Unavailable
from .service import Exchange, Fetch, GivenKeys, KeySource, Service, fetch
from .tokens import (
    CLOCK_SKEW,
    MAX_ACCESS_LENGTH,
    SCOPE,
    Keys,
    Refused,
    acr_of,
    import_keys,
    is_api_key,
    read_access_token,
    read_session_token,
    session_tokens,
)

MAX_JWKS_LENGTH = 64 * 1024
SKIPPED = re.compile(r';[ \t]*session_identifier="?lk\.')
_log = logging.getLogger("latchkey_verifier")


@dataclass(frozen=True)
class Session:
    """A session that counts. ``data`` is what the service's ``session`` callback returned; ``user`` is in it."""

    sub: str
    expires: datetime
    data: Mapping[str, Any]
    claims: Mapping[str, Any] = field(repr=False)

    @property
    def user(self) -> Mapping[str, Any]:
        user = self.data.get("user")
        return user if isinstance(user, dict) else {}

    @property
    def bound(self) -> bool:
        """Is it bound to a key of its browser's device?"""
        return "cnf" in self.claims

    @property
    def acr(self) -> str:
        """``"2"``: by two factors, or by a passkey that verified the user."""
        return acr_of(self.claims["amr"])

    def is_fresh(self, max_age: float) -> bool:
        """Has the user proved their identity within this many seconds?"""
        return int(time.time()) - self.claims["auth_time"] <= max_age


@dataclass(frozen=True)
class SessionReading:
    """``expired``: the session may go on. Send the browser to :meth:`Verifier.renew_url`; nobody is signed in until then."""

    session: Optional[Session]
    expired: bool = False


@dataclass(frozen=True)
class AccessToken:
    """An access token that counts; of an API key the one that it was exchanged for. ``machine``: no person's."""

    sub: str
    client_id: str
    scopes: Sequence[str]
    expires_at: int
    machine: bool
    token: str = field(repr=False)
    claims: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Refusal:
    """``reason`` is for the log; ``challenge`` is the value of ``WWW-Authenticate``, and ``error`` the word of the body."""

    status: int
    error: str
    reason: str
    challenge: str


class Verifier:
    """
    Verifies session tokens and, if it has an ``audience``, access tokens and API keys. Make one for each process; it is
    safe in threads. Reads may wait for the service: in an async app call them in a thread, as FastAPI does for ``def``.

    :param service: the URL of the service with its base path: it gives keys, the feed, and the answers about API keys
    :param issuer: its public address, if ``service`` is another one
    :param audience: the resource that access tokens must be for, to the letter
    :param public_keys: what ``/jwks.json`` answers. Without a ``service`` nothing is asked, and no ending is heard
    :param access_keys: what ``/oauth/jwks.json`` answers, likewise
    :param cookie: the name of the session cookie, if it is not the default one
    :param machine: takes access tokens of machines: ``False``, ``True`` (too) or ``"only"``
    :param max_delay: seconds after which an ending counts here at the latest: 10 to 3,600
    """

    def __init__(
        self,
        service: Optional[str] = None,
        *,
        issuer: Optional[str] = None,
        audience: Optional[str] = None,
        public_keys: Any = None,
        access_keys: Any = None,
        cookie: Optional[str] = None,
        machine: Union[bool, Literal["only"]] = False,
        max_delay: float = 15,
        fetch: Fetch = fetch,
        now: Callable[[], float] = time.time,
        on_error: Optional[Callable[[Exception], None]] = None,
    ) -> None:
        for address in (service, issuer):
            if address is not None and not _is_base_url(address):
                raise ValueError("service and issuer must be URLs such as https://example.com/auth.")
        if service is None and (issuer is None or (public_keys is None and access_keys is None)):
            raise ValueError("A verifier needs a service, or an issuer and public keys.")
        if not 10 <= max_delay <= 3_600 or machine not in (False, True, "only"):
            raise ValueError("max_delay must be 10 to 3600, and machine False, True or 'only'.")
        if audience is not None and (not urllib.parse.urlsplit(audience).scheme or "#" in audience):
            raise ValueError("audience must be an absolute URI such as https://api.example.com/.")
        self._issuer = (issuer or service or "").rstrip("/")
        self._service = Service(None if service is None else service.rstrip("/"), self._issuer, fetch)
        self._audience, self._machine, self._now = audience, machine, now
        self._cookie = cookie or ("__Host-" if self._issuer.startswith("https:") else "") + "auth.session-token"
        self._on_error = on_error or (lambda error: _log.warning("%s", error))
        self._told: dict[str, float] = {}
        self._keys = self._source(public_keys, "/jwks.json", False)
        self._access_keys = self._source(access_keys, "/oauth/jwks.json", True)
        self._feed: Optional[FeedReader] = None
        self._exchange: Optional[Exchange] = None
        if service is not None:

            def ask(path: str, limit: int, timeout: float) -> str:
                return self._service.ask(path, limit, timeout)[1]

            self._feed = FeedReader(ask, self._keys.get, self._issuer, max_delay, now, self._tell)
            self._exchange = Exchange(lambda key: self._service.exchange(key, audience or ""), now)

    def renew_url(self, callback_url: str) -> str:
        """Where the browser of an expired token gets a fresh one, or signs in."""
        return f"{self._issuer}/renew?{urllib.parse.urlencode({'callbackUrl': callback_url})}"

    def read_session(self, cookie_header: Optional[str], skipped: Optional[str] = None) -> SessionReading:
        """
        The session of a request, by its Cookie header. Raises :class:`Unavailable` if it is unknown whose request it is:
        ``skipped`` is its ``Secure-Session-Skipped`` header, by which a browser says that it could not renew a bound session.

        >>> reading = verifier.read_session(request.headers.get("cookie"))
        """
        tokens = session_tokens(cookie_header, self._cookie) if cookie_header else []
        if not tokens and SKIPPED.search(skipped or ""):
            raise Unavailable("The browser could not renew its bound session just now.")
        live: list[dict[str, Any]] = []
        unsure: list[dict[str, Any]] = []
        unknown: Optional[Unavailable] = None
        for token in tokens:
            try:
                claims = self._genuine(token, self._keys, read_session_token)
                state = self._state_of(claims)
                (live if state == "live" else unsure).append(claims)
            except Refused:
                continue
            except Unavailable as error:
                unknown = error
        # A sibling host may set a session of its own: sessions of several people sign nobody in.
        if live and len({claims["sub"] for claims in live}) == 1:
            return SessionReading(self._session(live[0])) if not self._is_stale(live[0]) else SessionReading(None, True)
        if unknown is not None and not live:
            raise unknown
        return SessionReading(None, expired=bool(unsure) and not live)

    def verify_session(self, token: str) -> dict[str, Any]:
        """The claims of one session token. Raises :class:`Refused`, also with ``expired`` and ``stale``."""
        claims = self._genuine(token, self._keys, read_session_token)
        state = self._state_of(claims)
        if state != "live" or self._is_stale(claims):
            raise Refused("stale" if state == "live" else state)
        return claims

    def read_token(
        self,
        authorization: Optional[str],
        *,
        scope: Union[str, Sequence[str], None] = None,
        max_age: Optional[float] = None,
        acr: Optional[str] = None,
    ) -> Union[AccessToken, Refusal]:
        """
        The access token, or the API key, of an ``Authorization`` header. Raises :class:`Unavailable`.

        >>> found = verifier.read_token(request.headers.get("authorization"), scope="notes:read")
        """
        if self._audience is None:
            raise ValueError("A verifier of access tokens needs an audience.")
        asked = scope.split(" ") if isinstance(scope, str) else scope
        scopes = None if asked is None else list(dict.fromkeys(one for one in asked if one))
        try:
            claims, token = self._access(authorization)
            held = claims.get("scope", "").split(" ") if "scope" in claims else []
            # Needs that name nothing, or that are malformed, are never met.
            if scopes is not None and (not scopes or not all(one in held for one in scopes)):
                raise Refused("scope")
            # A machine has never signed in, however long ago may do.
            is_fresh = "auth_time" in claims and int(self._now()) - claims["auth_time"] <= (max_age or 0)
            if max_age is not None and not is_fresh:
                raise Refused("max-age")
            if acr is not None and not ("acr" in claims and acr in ("1", claims["acr"])):
                raise Refused("acr")
        except Refused as refused:
            return _refusal(refused.reason, scopes or [], max_age, acr)
        return AccessToken(
            claims["sub"], claims["client_id"], tuple(held), claims["exp"], "machine" in claims, token, claims
        )

    def _access(self, authorization: Optional[str]) -> tuple[dict[str, Any], str]:
        if authorization is None or authorization[:7].lower() != "bearer ":
            raise Refused("no-token")
        if len(authorization) > MAX_ACCESS_LENGTH + 64:
            raise Refused("not-a-jws")
        credential = authorization[7:].lstrip(" ")
        if not credential:
            raise Refused("no-token")
        if self._exchange is None or not is_api_key(credential):
            return self._access_of(credential, None), credential
        held = self._exchange.of(credential)
        claims = self._access_of(held.token, held.until)
        if self._is_stale(claims) and held.again_at <= self._now():
            held = self._exchange.of(credential, held)
            claims = self._access_of(held.token, held.until)
        return claims, held.token or ""

    def _access_of(self, token: Optional[str], held_until: Optional[float]) -> dict[str, Any]:
        if token is None:
            raise Refused("api-key")
        claims = self._genuine(token, self._access_keys, read_access_token)
        if claims.get("nbf", 0) > self._now() + CLOCK_SKEW:
            raise Refused("not-yet-valid")
        if self._machine is not True and (self._machine == "only") != ("machine" in claims):
            raise Refused("machine")
        # A clock that differs from the service's must not make a key cost more calls.
        until = claims["exp"] if held_until is None else held_until
        self._fault_of(claims, until)
        if self._feed is not None:
            self._feed.refresh()
            own = claims.get("grant", claims["jti"])
            if not self._has_ended(claims):
                self._feed.make_sure(claims, [own, *([claims["sid"]] if "sid" in claims else [])])
        self._fault_of(claims, until)
        if self._feed is not None and held_until is None and self._is_stale(claims):
            raise Refused("stale")
        return claims

    def _fault_of(self, claims: Mapping[str, Any], until: float) -> None:
        now = self._now()
        if claims["iss"] != self._issuer:
            raise Refused("issuer")
        if claims["aud"] != self._audience:
            raise Refused("audience")
        if claims["iat"] > now + CLOCK_SKEW:
            raise Refused("issued-in-the-future")
        begin = until - (claims["exp"] - claims["iat"])
        if until <= now or (self._feed is not None and begin + self._feed.max_life <= now):
            raise Refused("expired")
        if self._has_ended(claims):
            raise Refused("grant-ended")

    def _has_ended(self, claims: Mapping[str, Any]) -> bool:
        if self._feed is None:
            return False
        is_personal = "pid" in claims or "sid" in claims
        return self._feed.list.has_sid(claims.get("grant", "")) or (is_personal and self._feed.list.has_ended(claims))

    def _is_stale(self, claims: Mapping[str, Any]) -> bool:
        return self._feed is not None and "machine" not in claims and self._feed.list.is_stale(claims)

    def _genuine(self, token: str, source: KeySource, read: Callable[[str, Keys], dict[str, Any]]) -> dict[str, Any]:
        try:
            return read(token, source.get())
        except Refused as refused:
            if refused.reason != "unknown-key":
                raise
            return read(token, source.get(look=True))

    def _state_of(self, claims: Mapping[str, Any]) -> str:
        """``live``, or ``expired``, if the session may go on. Raises :class:`Refused` and :class:`Unavailable`."""
        now = int(self._now())
        if claims["iss"] != self._issuer:
            raise Refused("issuer")
        if claims["iat"] > now + CLOCK_SKEW:
            raise Refused("issued-in-the-future")
        if claims["sexp"] <= now:
            raise Refused("session-ended")
        if claims.get("nbf", 0) > now + CLOCK_SKEW:
            raise Refused("not-yet-valid")
        feed = self._feed
        if "cnf" in claims and claims["exp"] <= now:
            raise Refused("expired")  # only its browser renews a bound session
        if feed is None:
            return "live" if claims["exp"] > now else "expired"
        feed.refresh()
        if feed.list.has_ended(claims):
            raise Refused("ended")
        if claims["exp"] > now and claims["iat"] + feed.max_life > now:
            feed.make_sure(claims, [claims["sid"]])
            if feed.list.has_ended(claims):
                raise Refused("ended")
            if claims["iat"] + feed.max_life > now and not feed.list.is_in_doubt(claims):
                return "live"
        return "expired"

    def _session(self, claims: Mapping[str, Any]) -> Session:
        data, user = dict(claims["session"]), claims["session"].get("user")
        if isinstance(user, dict) and "id" not in user:
            data["user"] = {"id": claims["sub"], **user}
        epoch = datetime(1970, 1, 1, tzinfo=timezone.utc)
        expires = epoch + timedelta(seconds=min(int(claims["sexp"]), 253_402_300_799))
        return Session(claims["sub"], expires, data, claims)

    def _source(self, given: Any, path: str, access: bool) -> KeySource:
        if given is not None:
            keys = import_keys(given, access)  # invalid ones are an error at the start
            return GivenKeys(keys)
        return KeySource(lambda: import_keys(self._service.ask(path, MAX_JWKS_LENGTH)[1], access), self._now, self._tell)

    def _tell(self, error: Exception) -> None:
        """Each message once a minute: a service that is down fails every look."""
        now, text = self._now(), str(error)
        if abs(now - self._told.get(text, float("-inf"))) >= 60:
            if len(self._told) >= 50:
                self._told.clear()
            self._told[text] = now
            self._on_error(error)


def _is_base_url(text: str) -> bool:
    url = urllib.parse.urlsplit(text)
    return url.scheme in ("http", "https") and bool(url.netloc) and not (url.query or url.fragment or "@" in url.netloc)


_KINDS = {
    "no-token": (401, "token_required", ""),
    "scope": (403, "insufficient_scope", "The access token has not all of the scopes"),
    "max-age": (401, "insufficient_user_authentication", "More recent authentication is required"),
    "acr": (401, "insufficient_user_authentication", "A different authentication level is required"),
}


def _refusal(reason: str, scopes: Sequence[str], max_age: Optional[float], acr: Optional[str]) -> Refusal:
    """RFC 6750, section 3, and RFC 9470, section 3."""
    status, error, text = _KINDS.get(reason, (401, "invalid_token", "The access token is not valid here"))
    parameters = [] if error == "token_required" else [f'error="{error}"', f'error_description="{text}"']
    if error == "insufficient_user_authentication":
        parameters += [f'max_age="{max_age:g}"'] if max_age is not None else []
        parameters += [f'acr_values="{acr}"'] if acr in ("1", "2") else []
    else:
        asked = " ".join(one for one in scopes if SCOPE.fullmatch(one) and " " not in one)
        parameters += [f'scope="{asked}"'] if asked else []
    return Refusal(status, error, reason, " ".join(["Bearer", ", ".join(parameters)]).strip())

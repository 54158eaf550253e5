"""The service, as a verifier asks it: over HTTP, for its keys, and about API keys. Everything has a bound."""

from __future__ import annotations

import hashlib
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional

from .feed import Unavailable
from .tokens import ACCESS_TOKEN_LIFE, MAX_ACCESS_LENGTH, Keys, KeysInvalid, parse_json

TIMEOUT, FRESH, COOL_DOWN, PAUSE, GRACE, MAX_KEY_AGE = 5.0, 300, 30, 2, 10, 86_400  # seconds
MAX_KEPT, MAX_REFUSED, MAX_UNKNOWN_A_SECOND = 10_000, 1_000, 100

Fetch = Callable[[str, Optional[bytes], Mapping[str, str], int, float], "tuple[int, str]"]
"""Asks an address: the URL, a form or None, headers, the most bytes, seconds. Answers the status and the text."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None  # a redirect must not take a key to another server


_opener = urllib.request.build_opener(_NoRedirect)


def fetch(url: str, form: Optional[bytes], headers: Mapping[str, str], limit: int, timeout: float) -> tuple[int, str]:
    """The default :data:`Fetch`. It follows no redirect."""
    end = time.monotonic() + timeout
    request = urllib.request.Request(url, data=form, headers=dict(headers))
    try:
        answer = _opener.open(request, timeout=max(timeout, 0.1))
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        chunks: list[bytes] = []
        while chunk := answer.read1(65_536):
            chunks.append(chunk)
            limit -= len(chunk)
            if limit < 0 or time.monotonic() > end:
                raise OSError("too long, or too slow")
        return answer.status, b"".join(chunks).decode("utf-8", "replace")


class Service:
    """The service at an address. ``issuer`` is its public URL, ``None`` as the address asks nothing."""

    def __init__(self, address: Optional[str], issuer: str, fetch: Fetch) -> None:
        self._address, self._issuer, self._fetch = address, issuer, fetch

    def ask(self, path: str, limit: int, timeout: float = TIMEOUT, form: Optional[bytes] = None) -> tuple[int, str]:
        name = path.split("?", 1)[0]
        if self._address is None:
            raise Unavailable("The verifier has no service to ask.")
        public = urllib.parse.urlsplit(self._issuer)
        headers = {
            "Accept": "application/json, application/jwt",
            "User-Agent": "latchkey-verifier-python",
            # The origin that the service answers for, if it is not reached by its public URL.
            "X-Forwarded-Host": public.netloc,
            "X-Forwarded-Proto": public.scheme,
        }
        try:
            status, text = self._fetch(self._address + path, form, headers, limit, min(timeout, TIMEOUT))
        except Exception as error:  # its message may quote the request
            raise Unavailable(f"The auth service cannot be reached ({type(error).__name__}).") from None
        if status != 200 and not (form is not None and status in (400, 401)):
            raise Unavailable(f"The auth service answered {name} with status {status}.")
        return status, text

    def exchange(self, key: str, audience: str) -> Optional[str]:
        form = urllib.parse.urlencode({
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token": key,
            "subject_token_type": "urn:latchkey:params:oauth:token-type:api-key",
            "resource": audience,
        })
        status, text = self.ask("/oauth/token", 2 * MAX_ACCESS_LENGTH, form=form.encode())
        if status != 200:
            return None
        try:
            answer = parse_json(text, unique=False)
        except ValueError:
            answer = None
        token = answer.get("access_token") if isinstance(answer, dict) else None
        if not isinstance(token, str):
            raise Unavailable("The auth service answered /oauth/token with something else.")
        return token


class KeySource:
    """Keys that the service publishes, read again after five minutes. While it is silent the last ones are used for a day."""

    def __init__(self, load: Callable[[], Keys], now: Callable[[], float], tell: Callable[[Exception], None]) -> None:
        self._load, self._now, self._tell, self._lock = load, now, tell, threading.Lock()
        self._keys: Optional[Keys] = None
        self._learned_at = self._asked_at = float("-inf")

    def get(self, look: bool = False) -> Keys:
        """``look``: for a key that is not among them, at most every 30 seconds. Raises :class:`Unavailable`."""
        must = look or self._usable() is None
        # One thread asks. The others wait for it only if they cannot do without.
        if (must or not 0 <= self._now() - self._learned_at < FRESH) and self._lock.acquire(must):
            try:
                wait = PAUSE if self._usable() is None else COOL_DOWN
                if not 0 <= self._now() - self._asked_at < wait:
                    self._asked_at = self._now()
                    self._keys, self._learned_at = self._load(), self._now()
            except (Unavailable, KeysInvalid) as error:
                self._tell(error)
            finally:
                self._lock.release()
        keys = self._usable()
        if keys is None or (look and self._learned_at < self._asked_at):
            raise Unavailable("The keys of the auth service cannot be looked up now.")
        return keys

    def _usable(self) -> Optional[Keys]:
        return self._keys if 0 <= self._now() - self._learned_at < MAX_KEY_AGE else None


class GivenKeys(KeySource):
    """Keys that never change."""

    def __init__(self, keys: Keys) -> None:
        self._given = keys

    def get(self, look: bool = False) -> Keys:
        return self._given


@dataclass
class Held:
    """The service's answer about an API key: a token, or None if it refuses the key or did not answer."""

    token: Optional[str]
    until: float
    again_at: float = 0
    failed: bool = False


class Exchange:
    """Exchanges API keys for access tokens: one call for a key in five minutes, whatever the answer."""

    def __init__(self, call: Callable[[str], Optional[str]], now: Callable[[], float]) -> None:
        self._call, self._now = call, now
        self._kept: tuple[OrderedDict[str, Held], OrderedDict[str, Held]] = (OrderedDict(), OrderedDict())
        self._locks, self._lock = [threading.Lock() for _ in range(64)], threading.Lock()
        self._second, self._calls = 0, 0

    def of(self, key: str, stale: Optional[Held] = None) -> Held:
        """``stale``: the answer that a refresh of claims has made old. Raises :class:`Unavailable`."""
        name = hashlib.sha256(key.encode()).hexdigest()
        good, others = self._kept  # apart, so that made-up keys push out no good ones
        with self._locks[int(name[:2], 16) % 64]:
            now, known = self._now(), good.get(name)
            held = known or others.get(name)
            if held is not None and held is not stale and 0 < held.until - now <= ACCESS_TOKEN_LIFE:
                if held.failed:
                    raise Unavailable("An API key could not be looked up a moment ago.")
                return held
            try:
                self._count(int(now), known is not None)
                held = Held(self._call(key), now + ACCESS_TOKEN_LIFE, now + PAUSE if stale else 0)
            except Unavailable:
                if known is None:
                    self._keep(others, name, Held(None, now + PAUSE, failed=True))
                    raise
                if known is stale:  # without a new answer it counts until its end
                    known.again_at = now + PAUSE
                    return known
                if 0 < known.until + GRACE - now <= GRACE:
                    return Held(known.token, known.until + GRACE)
                raise
            with self._lock:
                good.pop(name, None)
            self._keep(others if held.token is None else good, name, held)
            return held

    def _keep(self, kept: OrderedDict[str, Held], name: str, held: Held) -> None:
        with self._lock:
            kept.pop(name, None)
            kept[name] = held
            while len(kept) > (MAX_KEPT if kept is self._kept[0] else MAX_REFUSED):
                kept.popitem(last=False)

    def _count(self, second: int, was_good: bool) -> None:
        """A checksum is not secret: a stranger can make up any number of keys."""
        with self._lock:
            if self._second != second:
                self._second, self._calls = second, 0
            self._calls += not was_good
            is_full = self._calls > MAX_UNKNOWN_A_SECOND
        if is_full and not was_good:
            raise Unavailable("Too many API keys came at once to ask about each.")

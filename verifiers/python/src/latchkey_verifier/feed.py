"""The revocation feed: which sessions and grants have ended, and which tokens are to be renewed."""

from __future__ import annotations

import secrets
import threading
from typing import Any, Callable, Mapping, Optional, Sequence

from .tokens import CLOCK_SKEW, MAX_TOKEN_LIFE, Keys, Refused, is_count, read_signed

SERVICE_DELAY = 7  # Seconds: an isolate asks its ledger every four seconds, and caches keep the answer for two.
MAX_FEED, MAX_LOOK, MAX_PAGES = 4 * 1024 * 1024, 16 * 1024 * 1024, 64
NAME_LENGTH, MAX_NAMES = 8, 480
MAX_IN_USE = 15_000
LOOK_BACK, LOOK_TIME, TIMEOUT, LONG = 300, 3, 5, 4  # seconds, pages

Claims = Mapping[str, Any]


class Unavailable(Exception):
    """It is unknown whether a token counts, because the service does not answer: reply with 503, and let nobody in."""


def read_feed(text: str, keys: Keys, of: Optional[str] = None) -> dict[str, Any]:
    """A page of the feed, or the answer to a question ``of`` names. Raises :class:`Refused`."""
    feed = read_signed(text, "revocations+jwt" if of is None else "revocations-of+jwt", keys, MAX_FEED)
    if not isinstance(feed, dict) or feed.get("of", of) != of or ("of" in feed) != (of is not None):
        raise Refused("claims")
    counts = ("since", "next", "window", *(name for name in ("heard", "more", "names") if name in feed))
    sids, users = feed.get("sids"), feed.get("users")
    cutoffs, stale = feed.get("cutoffs", []), feed.get("stale", [])
    if not isinstance(feed.get("iss"), str) or not all(is_count(feed.get(name)) for name in counts):
        raise Refused("claims")
    if not all(isinstance(one, list) for one in (sids, users, cutoffs, stale)):
        raise Refused("claims")
    good = (
        all(isinstance(sid, str) for sid in sids)
        and all(_is_cutoff(one, "sub") for one in users)
        and all(_is_cutoff(one, "pid") for one in cutoffs)
        and all(isinstance(one, dict) and _is_cutoff(one, "pid" if "pid" in one else "sid", True) for one in stale)
    )
    if not good:
        raise Refused("claims")
    return feed


def _is_cutoff(value: Any, name: str, is_stale: bool = False) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get(name), str) or not is_count(value.get("until")):
        return False
    return not ("pid" in value and "sid" in value) if is_stale else isinstance(value.get("except", ""), str)


class RevocationList:
    """What was heard. No entry, in whatever order it comes, makes an ended session good again."""

    def __init__(self) -> None:
        self._sids: dict[str, float] = {}
        self._cutoffs: dict[tuple[str, str], tuple[int, Optional[str]]] = {}
        self._latest: float = -1
        self._window = 0

    def add(self, feed: Mapping[str, Any], now: float) -> None:
        self._window = max(self._window, feed["window"])
        before = now - self._window - CLOCK_SKEW
        sids = {sid: at for sid, at in self._sids.items() if at >= before}
        cutoffs = {name: cutoff for name, cutoff in self._cutoffs.items() if cutoff[0] >= before}
        sids.update((sid, now) for sid in feed["sids"])
        for kind, entries in (("sub", feed["users"]), ("pid", feed.get("cutoffs", []))):
            for one in entries:
                self._cut(cutoffs, (kind, one[kind]), one["until"], one.get("except"))
        for one in feed.get("cutoffs", []):
            self._latest = max(self._latest, one["until"])
        for one in feed.get("stale", []):
            kind = "pid" if "pid" in one else "sid"
            self._cut(cutoffs, (f"stale {kind}", one[kind]), one["until"], None)
        # Readers in other threads have one state or the other.
        self._sids, self._cutoffs = sids, cutoffs

    @staticmethod
    def _cut(cutoffs: dict[Any, Any], name: tuple[str, str], until: int, spared: Optional[str]) -> None:
        known = cutoffs.get(name)
        if known is not None and known[0] > until:
            return
        # Each of two cut-offs in one second ends the session that the other one spares.
        both = known is not None and known[0] == until and known[1] != spared
        cutoffs[name] = (until, None if both else spared)

    def _is_cut(self, name: tuple[str, str], sid: str, time: int) -> bool:
        until, spared = self._cutoffs.get(name, (-1, None))
        return time <= until and sid != spared

    def has_sid(self, sid: str) -> bool:
        return sid in self._sids

    def has_ended(self, claims: Claims) -> bool:
        """Is the session of these claims over?"""
        sid, began = claims.get("sid", ""), claims.get("began", claims.get("auth_time"))
        names = [("sub", claims["sub"]), *([("pid", claims["pid"])] if "pid" in claims else [])]
        return self.has_sid(sid) or any(self._is_cut(name, sid, began) for name in names)

    def is_stale(self, claims: Claims) -> bool:
        """Was this token issued before the claims of its person or session were refreshed?"""
        sid, pid = claims.get("sid", ""), claims.get("pid", claims.get("key_pid", ""))
        return any(self._is_cut(name, "", claims["iat"]) for name in (("stale sid", sid), ("stale pid", pid)))

    def is_in_doubt(self, claims: Claims) -> bool:
        """A token without a ``pid`` may be that of somebody whose sessions have ended: the service knows."""
        began = claims.get("began", claims["auth_time"])
        return "pid" not in claims and began <= self._latest and claims["iat"] <= self._latest + CLOCK_SKEW


class FeedReader:
    """
    Keeps a :class:`RevocationList` up to date, in threads beside the reads. While the service is silent the list stays as it
    is: a token counts for its own short life. A feed too long to be read is not: the service is asked about each session.

    ``ask(path, limit, timeout)`` answers a text, or raises :class:`Unavailable`.
    """

    def __init__(
        self,
        ask: Callable[[str, int, float], str],
        keys: Callable[[bool], Keys],
        issuer: str,
        max_delay: float,
        now: Callable[[], float],
        on_error: Callable[[Exception], None],
    ) -> None:
        self.list = RevocationList()
        self.max_life: float = MAX_TOKEN_LIFE
        self._ask, self._keys, self._issuer, self._now, self._on_error = ask, keys, issuer, now, on_error
        self._max_delay, self._limit = max_delay, max_delay - SERVICE_DELAY
        self._next: Optional[int] = None  # up to then the list has all endings; None: it lacks some
        self._covered: float = 0
        self._look_at = self._settled_at = self._failed_at = float("-inf")
        self._asked: dict[str, float] = {}
        self._lock, self._asking, self._looking = threading.Lock(), threading.Semaphore(6), threading.Event()

    def refresh(self) -> None:
        """Looks at the feed, if that is due, and waits for it two seconds at most, if the last look is too old."""
        with self._lock:
            now = self._now()
            if now >= self._look_at or now < self._settled_at:
                self._look_at = now + LOOK_TIME + TIMEOUT  # for others, and if this look never ends
                self._looking = threading.Event()
                threading.Thread(target=self._look, args=(self._looking,), name="latchkey-feed", daemon=True).start()
            looking, age = self._looking, now - self._settled_at
        if not 0 <= age < self._limit:
            looking.wait(2)

    def make_sure(self, claims: Claims, names: Sequence[str]) -> None:
        """If the list lacks endings, asks about a session or grant. Raises :class:`Unavailable`."""
        for sid in names if self._next is None else ():
            now, asked_at = self._now(), self._asked.get(sid)
            is_known = asked_at is not None and 0 <= now - asked_at < self._limit
            if is_known or now - claims["iat"] <= SERVICE_DELAY:
                continue
            try:
                if 0 <= now - self._failed_at < 1 or not self._asking.acquire(timeout=2):
                    raise Unavailable("The auth service did not say whether a session has ended.")
                try:
                    self._ask_about(sid, claims.get("pid", claims.get("key_pid", "")))
                except Unavailable:
                    self._failed_at = now
                    raise
                finally:
                    self._asking.release()
            except Unavailable as error:
                if asked_at is None:
                    raise
                self._on_error(error)  # the last answer counts
            with self._lock:
                self._asked.pop(sid, None)
                while len(self._asked) >= MAX_IN_USE:
                    del self._asked[next(iter(self._asked))]
                self._asked[sid] = now

    def _ask_about(self, sid: str, pid: str) -> None:
        # A random name, so that no earlier answer fits the question.
        of = secrets.token_urlsafe(6) + sid[:NAME_LENGTH] + pid[:NAME_LENGTH]
        feed = self._read(self._ask(f"/revocations?of={of}&pages=1", MAX_FEED, 2), of)
        self._hear(feed)
        self.max_life = min(self.max_life, feed["window"])

    def _look(self, done: threading.Event) -> None:
        wait = self._limit / 2  # twice as often as needed, so that one look may fail
        try:
            wait = self._read_pages() or wait
        except Exception as error:
            told = error if isinstance(error, Unavailable) else Unavailable(f"The feed cannot be read ({type(error).__name__}).")
            self._on_error(told)
        with self._lock:
            self._settled_at = self._now()
            self._look_at = self._settled_at + wait
        done.set()

    def _read_pages(self) -> Optional[float]:
        """Answers the seconds to the next look, if that is not the usual one."""
        since = asked = 0 if self._next is None else max(0, self._next - CLOCK_SKEW)
        end, length, least, window = self._now() + LOOK_TIME, 0, float("inf"), float("inf")
        for pages in range(1, MAX_PAGES + 1):
            text = self._ask(f"/revocations?{f'since={since}&' if since else ''}pages=1", MAX_FEED, end - self._now())
            page, length = self._read(text), length + len(text)
            self._hear(page)
            least, window, more = min(least, page["next"]), min(window, page["window"]), page.get("more")
            # Somebody in between may have asked for less.
            if page["since"] > max(since, page["next"] - page["window"] - CLOCK_SKEW):
                raise Unavailable("The revocation feed was refused: a part of it is missing.")
            if more is None:
                self._finish(asked, int(least), window)
                return None
            if more <= since:
                raise Unavailable("The revocation feed was refused: it does not go on.")
            if page.get("names", 0) >= MAX_NAMES and pages >= LONG:
                self._next, self.max_life = None, min(self.max_life, page["window"])
                return LOOK_BACK
            if length >= MAX_LOOK:
                break
            since = min(more, int(least))
        raise Unavailable("The revocation feed is too long to be read.")

    def _finish(self, asked: int, least: int, window: float) -> None:
        if asked < least - window - CLOCK_SKEW:
            self._covered = window
        elif window > self._covered:
            self._next = None  # tokens count for longer, and so do endings that were not asked for
            return
        self.max_life, self._next = window, max(self._next or 0, least)

    def _read(self, text: str, of: Optional[str] = None) -> dict[str, Any]:
        try:
            try:
                feed = read_feed(text, self._keys(False), of)
            except Refused as refused:
                if refused.reason != "unknown-key":
                    raise
                feed = read_feed(text, self._keys(True), of)
        except Refused as refused:
            raise Unavailable(f"The revocation feed was refused: {refused.reason}.") from None
        if feed["iss"] != self._issuer:
            raise Unavailable("The revocation feed was refused: it is that of another issuer.")
        return feed

    def _hear(self, feed: Mapping[str, Any]) -> None:
        """Every session that a feed names has ended, however old the feed is."""
        now, heard = self._now(), max(feed["next"], feed.get("heard", feed["next"]))
        with self._lock:
            self.list.add(feed, now)
        if not now - self._max_delay - CLOCK_SKEW <= heard <= now + CLOCK_SKEW:
            raise Unavailable("The revocation feed was refused: it is not of now; a cache kept it, or the clocks differ.")

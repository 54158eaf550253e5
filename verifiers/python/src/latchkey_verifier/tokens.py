"""The formats: keys, signatures, claims, cookies. Pure functions, which know neither clock nor network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from typing import Any, Mapping, NamedTuple

import jwt

CLOCK_SKEW, MAX_TOKEN_LIFE, ACCESS_TOKEN_LIFE = 60, 86_400, 300  # seconds
MAX_SESSION_LENGTH, MAX_ACCESS_LENGTH, MAX_KEYS = 65_536, 8_192, 64  # characters, entries
SESSION_FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]")
ACCESS_FORM = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.(?:[A-Za-z0-9_-]{85}|[A-Za-z0-9_-]{341})[AQgw]")
HANDLE = re.compile(r"[A-Za-z0-9_-]{22,64}")
PID = re.compile(r"[A-Za-z0-9_-]{12,64}")
BYTES_32 = re.compile(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]")
BYTES_256 = re.compile(r"[A-Za-z0-9_-]{341}[AQgw]")
COMPANY = re.compile(r"[a-z][a-z0-9-]{0,31}")
SCOPE = re.compile(r"[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*")
MACHINE = "machine:"
OF_USERS = ("auth_time", "acr", "amr", "grant", "sid", "key_pid", "company")
HALF_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551 >> 1


class Refused(Exception):
    """A text that does not count. ``reason`` is for logs; it never quotes the text."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class KeysInvalid(ValueError):
    """A JWKS that holds no key to verify with, or a private one."""


class Key(NamedTuple):
    """A public key. It verifies signatures of one ``alg``."""

    alg: str
    public: Any


Keys = Mapping[str, Key]


def parse_json(text: str, unique: bool = True) -> Any:
    """JSON as RFC 8259 has it. No object may have a member twice, unless ``unique`` is false."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if unique and len(found) != len(pairs):
            raise ValueError("a member stands twice")
        return found

    def number(digits: str) -> Any:
        return int(digits) if len(digits) < 20 else float(digits)

    def constant(name: str) -> Any:
        raise ValueError("not a JSON number")

    try:
        return json.loads(text, object_pairs_hook=members, parse_int=number, parse_constant=constant)
    except RecursionError:
        raise ValueError("nested too deep") from None


def decode(part: str) -> bytes:
    """base64url without padding."""
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _is_like(form: re.Pattern[str], value: Any) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None


#: What a key of each ``alg`` looks like (RFC 7518, section 6; RFC 8037, section 2), in the order of its thumbprint.
KEY_FORMS: Mapping[str, Mapping[str, re.Pattern[str]]] = {
    "EdDSA": {"crv": re.compile("Ed25519"), "kty": re.compile("OKP"), "x": BYTES_32},
    "ES256": {"crv": re.compile("P-256"), "kty": re.compile("EC"), "x": BYTES_32, "y": BYTES_32},
    "RS256": {"e": re.compile("AQAB"), "kty": re.compile("RSA"), "n": BYTES_256},
}


def import_keys(jwks: Any, access: bool = False) -> Keys:
    """
    The public keys of sessions, or of access tokens, of a JWKS: an object, or JSON text. Entries of another kind or form are
    skipped (RFC 7517, section 5), and the ``kid`` is computed (RFC 7638). Raises :class:`KeysInvalid`.
    """
    try:
        value = parse_json(jwks, unique=False) if isinstance(jwks, str) else jwks
    except ValueError:
        raise KeysInvalid("The JWKS is not valid JSON.") from None
    entries = value.get("keys") if isinstance(value, dict) else None
    if not isinstance(entries, list):
        raise KeysInvalid('The JWKS must be an object with a "keys" array.')
    keys: dict[str, Key] = {}
    has_any = False
    for jwk in [one for one in entries if isinstance(one, dict)][: MAX_KEYS if access else None]:
        if "d" in jwk or "k" in jwk:
            raise KeysInvalid("The JWKS holds a private key. Publish public keys only.")
        alg = jwk.get("alg", None if access else "EdDSA")
        alg = "EdDSA" if alg == "Ed25519" and not access else alg
        if jwk.get("use", "sig") != "sig" or not isinstance(alg, str) or alg not in (KEY_FORMS if access else ["EdDSA"]):
            continue
        if not all(_is_like(form, jwk.get(name)) for name, form in KEY_FORMS[alg].items()):
            continue
        has_any = True
        point = {name: jwk[name] for name in KEY_FORMS[alg]}
        digest = hashlib.sha256(json.dumps(point, separators=(",", ":")).encode()).digest()
        try:
            public = jwt.PyJWK({**point, "alg": alg}).key
        except (jwt.PyJWTError, ValueError):  # a point that is not on its curve
            continue
        keys[base64.urlsafe_b64encode(digest).rstrip(b"=").decode()] = Key(alg, public)
    if not has_any:
        raise KeysInvalid("The JWKS holds no key to verify with.")
    return keys


def read_signed(text: str, typ: str, keys: Keys, most: int, form: re.Pattern[str] = SESSION_FORM) -> Any:
    """
    The JSON object or array that one of the keys has signed as this ``typ``, in its one canonical encoding. Raises
    :class:`Refused`.
    """
    if len(text) > most:
        raise Refused("not-a-jws")
    # Another encoding of the same signature verifies too, and would be another key in every deny-list.
    if form.fullmatch(text) is None:
        raise Refused("not-canonical" if text.count(".") == 2 else "not-a-jws")
    head, payload, signature = text.split(".")
    try:
        header = parse_json(decode(head).decode("latin-1"))
    except ValueError:
        raise Refused("header") from None
    if not isinstance(header, dict) or set(header) != {"alg", "typ", "kid"} or header["typ"] != typ:
        raise Refused("header")
    alg, kid = header["alg"], header["kid"]
    accepted = ("EdDSA",) if form is SESSION_FORM else ("EdDSA", "ES256", "RS256")
    if not isinstance(alg, str) or not isinstance(kid, str) or alg not in accepted:
        raise Refused("header")
    key = keys.get(kid)
    if key is None:
        raise Refused("unknown-key")
    if key.alg != alg:
        raise Refused("header")
    try:
        jwt.api_jws.decode_complete(text, key.public, algorithms=[alg])
    except (jwt.PyJWTError, ValueError):
        raise Refused("bad-signature") from None
    try:
        content = parse_json(decode(payload).decode("utf-8"))
    except ValueError:
        raise Refused("claims") from None
    if not isinstance(content, (dict, list)):
        raise Refused("claims")
    # A holder of one of the two spellings of an ES256 signature can write the other.
    if alg == "ES256" and int.from_bytes(decode(signature)[32:], "big") > HALF_P256_ORDER:
        raise Refused("not-canonical")
    return content


def is_count(value: Any, most: int = 2**53 - 1) -> bool:
    """A whole number that is not negative, in any spelling that JSON has for it."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return 0 <= value <= most and value == int(value)


def is_time(value: Any) -> bool:
    return is_count(value, 8_640_000_000_000)


def is_text(value: Any) -> bool:
    """1 to 2,048 units of UTF-16, which the service counts."""
    return isinstance(value, str) and 0 < len(value) + sum(one > "\uffff" for one in value) <= 2048


def _check(*conditions: bool) -> None:
    if not all(conditions):
        raise Refused("claims")


def _optional(claims: Mapping[str, Any], name: str, form: re.Pattern[str]) -> bool:
    return name not in claims or _is_like(form, claims[name])


def _check_not_before(claims: Mapping[str, Any]) -> None:
    _check("nbf" not in claims or is_time(claims["nbf"]))


def read_session_token(token: str, keys: Keys) -> dict[str, Any]:
    """The claims of a genuine session token, of any issuer and time. Raises :class:`Refused`."""
    claims = read_signed(token, "session+jwt", keys, MAX_SESSION_LENGTH)
    _check(isinstance(claims, dict))
    get = claims.get
    _check(is_text(get("iss")), is_text(get("sub")), _is_like(HANDLE, get("sid")))
    _check(not claims["sub"].startswith(MACHINE), isinstance(get("session"), dict), "aud" not in claims)
    _check(*(is_time(get(name)) for name in ("iat", "exp", "auth_time", "sexp")))
    iat, exp, auth_time = claims["iat"], claims["exp"], claims["auth_time"]
    # `auth_time` may come from another machine's clock than `iat`.
    _check(iat < exp <= claims["sexp"], auth_time <= iat + CLOCK_SKEW, exp - iat <= MAX_TOKEN_LIFE)
    amr, began, cnf = get("amr"), get("began", auth_time), get("cnf", {"jkt": "A" * 43})
    _check(isinstance(amr, list) and len(amr) > 0 and all(is_text(one) for one in amr))
    _check(is_time(began) and began <= auth_time, _optional(claims, "pid", PID))
    # A token that says anything else of its key must not pass for one that is not bound.
    _check(isinstance(cnf, dict) and set(cnf) == {"jkt"} and _is_like(BYTES_32, cnf["jkt"]))
    _check(_optional(claims, "company", COMPANY))
    _check_not_before(claims)
    return claims


def read_access_token(token: str, keys: Keys) -> dict[str, Any]:
    """The claims of a genuine access token, of any issuer, audience and time. Raises :class:`Refused`."""
    if ACCESS_FORM.fullmatch(token) is None:
        raise Refused("not-a-jws")
    claims = read_signed(token, "at+jwt", keys, MAX_ACCESS_LENGTH, ACCESS_FORM)
    _check(isinstance(claims, dict))
    get = claims.get
    _check(*(is_text(get(name)) for name in ("iss", "sub", "aud", "client_id", "jti")))
    _check(*(is_time(get(name)) for name in ("iat", "exp", "began")))
    iat, exp = claims["iat"], claims["exp"]
    _check(iat < exp <= iat + ACCESS_TOKEN_LIFE, claims["began"] <= iat + CLOCK_SKEW)
    _check("scope" not in claims or (is_text(get("scope")) and _is_like(SCOPE, get("scope"))))
    if "machine" in claims:
        _check(get("machine") is True, claims["sub"] == MACHINE + claims["client_id"])
        _check(_is_like(PID, get("pid")), _is_like(HANDLE, claims["jti"]))
        _check(not any(name in claims for name in OF_USERS))
    else:
        _check(not claims["sub"].startswith(MACHINE), _is_like(HANDLE, get("grant")), is_time(get("auth_time")))
        _check(claims["auth_time"] <= iat + CLOCK_SKEW, get("acr") in ("1", "2"))
        _check(_optional(claims, "pid", PID), _optional(claims, "key_pid", PID))
        _check(_optional(claims, "sid", HANDLE), _optional(claims, "company", COMPANY))
    _check_not_before(claims)
    return claims


def acr_of(amr: list[str]) -> str:
    """The first member of ``amr`` is a name from the configuration, and never counts as a method."""
    return "2" if "mfa" in amr[1:] or (amr[0] == "passkey" and "user" in amr[1:]) else "1"


CHUNK_LENGTH, MAX_CANDIDATES = 3_800, 8
CHUNK_INDEX = re.compile(r"0|[1-9][0-9]?")
TOKEN = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}")


def session_tokens(header: str, name: str) -> list[str]:
    """The texts of a Cookie header that may be session tokens, eight at most: each may cost a signature check."""
    whole: dict[str, None] = {}
    first: dict[str, str] = {}
    last: dict[str, str] = {}
    for pair in header.split(";"):
        before, equals, value = pair.partition("=")
        # Other spaces are part of a name: no browser protects `\u2000__Host-…` as it protects the name without it.
        other, value = before.strip(" \t"), value.strip(" \t")
        if not equals or not other:
            continue
        value = value[1:-1] if len(value) >= 2 and value[0] == value[-1] == '"' else value
        if other == name and value:
            whole.setdefault(value)
        if other.startswith(f"{name}.") and CHUNK_INDEX.fullmatch(other[len(name) + 1 :]):
            first.setdefault(other, value)
            last[other] = value

    def joined(chunks: Mapping[str, str], to_short: bool) -> str:
        text, index = "", 0
        while (chunk := chunks.get(f"{name}.{index}")) is not None:
            text, index = text + chunk, index + 1
            if to_short and len(chunk) < CHUNK_LENGTH:
                break
        return text

    others = (joined(first, True), joined(last, True))
    chunked = dict.fromkeys([joined(first, False), *(text for text in others if TOKEN.fullmatch(text))])
    chunked.pop("", None)
    return [*list(whole)[-(MAX_CANDIDATES - max(len(chunked), 1)) :], *chunked]


API_KEY = re.compile(r"[a-z][a-z0-9]{1,11}_[0-9A-Za-z]{44}")
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def is_api_key(text: str) -> bool:
    """Has an API key its form and its checksum? Only the service knows if it is genuine."""
    if API_KEY.fullmatch(text) is None:
        return False
    number, checksum = 0, 0
    for digit in text[-44:-6]:
        number = number * 62 + DIGITS.index(digit)
    for digit in text[-6:]:
        checksum = checksum * 62 + DIGITS.index(digit)
    # 38 digits can be more than 28 bytes: another spelling of the same key.
    return checksum == zlib.crc32(text[:-6].encode()) and number < 2**224

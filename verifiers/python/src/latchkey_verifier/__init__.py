"""Verifies Latchkey's sessions, access tokens and API keys: locally, with public keys."""

from .feed import Unavailable
from .tokens import KeysInvalid, Refused
from .verifier import AccessToken, Refusal, Session, SessionReading, Verifier

__all__ = ["AccessToken", "KeysInvalid", "Refusal", "Refused", "Session", "SessionReading", "Unavailable", "Verifier"]

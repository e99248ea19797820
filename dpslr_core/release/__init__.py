"""Releases on integers, with the operating system's randomness and a checked guarantee: plan, release once, verify."""

from .once import release
from .plans import plan
from .verification import verify

__all__ = ["plan", "release", "verify"]

"""Text of any origin for files that are XML or nearly so."""

from __future__ import annotations

import re

# Characters that XML 1.0 does not allow, and those that turn the direction of what follows.
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u202a-\u202e\u2066-\u2069]")


def legible(text: str) -> str:
    """The text with a replacement character for each that cannot be written, or would reorder the others."""
    return _UNWRITABLE.sub("\ufffd", text)

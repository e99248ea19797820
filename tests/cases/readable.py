"""What every sentence for readers must keep to."""

from __future__ import annotations

import re

MOST_WORDS = 25


def check_readable(text: str) -> None:
    """At most 25 words to a sentence; no number as a computer writes it."""
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        words = [word for word in sentence.split() if re.search(r"\w", word)]
        assert len(words) <= MOST_WORDS, f"{len(words)} words: {sentence}"
    assert not re.search(r"\d[eE][+-]?\d|\b(inf|nan|Infinity)\b", text), text
    assert not re.search(r"(?<![\d.,])\d{5,}", text), f"thousands without a separator: {text}"

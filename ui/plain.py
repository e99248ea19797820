"""Text from a file, a link or a message for the places where Streamlit reads markdown.

Those are sentences, labels, captions, messages and tooltips; the options of lists, tables and st.text are not. There
a column name could be a picture fetched from outside, a link, a formula or one of Streamlit's own directives.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

JOINER = "\u2060"  # a word joiner: no width and no line break
_MARKS = re.compile(r"[\\`*_{}\[\]<>$~&|]")
# Heading, list or rule: only where a line begins.
_BLOCK = re.compile(r"^([#+-]|[0-9]+(?=[.)](?:\s|$)))")
_SPACE = re.compile(r"[ \t\n\r\v\f]+")
# Streamlit reads these after backslashes are gone, so that a backslash does not help: directives, emoji and icons
# (:red[, :smile:, :material/home:), addresses that become links by themselves, and arrows.
_COLON, _WWW, _AT = re.compile(r":(?=\S)"), re.compile(r"(?i)(www)(?=\.)"), re.compile(r"(?=@)")
_ARROW = re.compile(r"(?<!\S)(<|-|>|~)(?=(->|>|-|=)(?!\S))")


def plain(text: object) -> str:
    """Return markdown that shows this text on one line, letter by letter, whatever the text holds."""
    line = _SPACE.sub(" ", str(text)).strip()
    for pattern, parted in (
        (_COLON, f":{JOINER}"),
        (_WWW, rf"\1{JOINER}"),
        (_AT, JOINER),
        (_ARROW, rf"\1{JOINER}"),
    ):
        line = pattern.sub(parted, line)
    line = _MARKS.sub(r"\\\g<0>", line)
    return _BLOCK.sub(
        lambda start: f"{start[1]}\\" if start[1][0].isdigit() else f"\\{start[1]}", line
    )


def bullets(sentences: Iterable[str]) -> str:
    """Return sentences as a list in markdown; empty without sentences."""
    return "\n".join(f"- {plain(sentence)}" for sentence in sentences)

"""Texts of others are never markup: the escaping, and that pages use it where a browser is not needed to tell."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlparse

from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases.opened import read
from ui.link import same_tab
from ui.plain import bullets, plain

ROOT = Path(__file__).parents[2]
MARKS = "\\`*_{}[]<>$~&|"
texts = st.text(
    alphabet=st.one_of(
        st.sampled_from(MARKS + ":/@.#+-=!() \t\n\rw1ahtp"), st.characters(codec="utf-8")
    )
)


@given(texts)
@example("![x](http://evil.invalid/1.png)")
@example("# heading\n\n---\n    code\n1. list")
def test_what_is_read_is_what_was_given(text):
    assert read(plain(text)) == read(
        re.sub(r"[ \t\n\r\v\f]+", " ", text).strip().replace("\\", "\\\\")
    )


@given(texts)
@example("0)[")
def test_every_mark_is_escaped(text):
    shown = plain(text)
    assert not re.search(r"[\t\n\r\v\f]", shown)
    bare = re.sub(r"\\[!-/:-@\[-`{-~]", "", shown)
    assert not set(bare) & set(MARKS)
    assert not re.match(r"[#+-]|[0-9]+[.)](\s|$)", shown)


def unescaped(markdown: str) -> str:
    """What Streamlit looks at: the text that is left once markdown has been read."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)


def test_directives_addresses_and_arrows_are_parted():
    for text in (
        ":red[x]",
        ":material/home:",
        ":smile:",
        ":+1:",
        "::leaf",
        "https://a.b",
        "a@b.co",
    ):
        left = unescaped(plain(f"see {text} there"))
        assert not re.search(r":\S|\w@", left.replace(":\u2060", "").replace("\u2060@", "")), text
        assert text not in left
    for text in (
        "www.evil.invalid",
        "WWW.evil.invalid",
        "a -> b",
        "<-",
        "a <-> b",
        "-- x",
        "a >= b",
    ):
        assert not re.search(
            r"(?i)www\.|(^|\s)(<->|->|<-|--|>=|<=|~=)(\s|$)", unescaped(plain(text))
        ), text


def test_words_and_numbers_stay_as_they_are():
    for text in (
        "mine.csv: n = 60, ε = 2 for the point.",
        "0.5",
        "C(68) / σ",
        "±50 rides (°C), x ! -1",
    ):
        assert plain(text) == text
    assert bullets(["a_b", "1. c"]) == "- a\\_b\n- 1\\. c" and bullets([]) == ""


@given(texts, texts)
def test_a_link_is_one_anchor_whatever_its_parts(value, label):
    html = same_tab("compare", {"group": value, "n": 3}, label)
    address = re.fullmatch(r'<a href="([^"<>]*)" target="_self">((?:[^<\\]|\\.)*)</a>', html)
    assert address
    assert parse_qs(urlparse(address[1].replace("&amp;", "&")).query, keep_blank_values=True)[
        "group"
    ] == [value]


# Styles, which are constants; a script, which is one; and the picture of a code, which holds a link.
KNOWN_HTML = (
    'st.html(f"<style>{style}',
    'st.html(f"<script>{scroll}</script>"',
    """st.html(f'<img src="{_qr(link)}" alt="QR""",
)


def test_html_is_written_in_one_place():
    """Links to pages by link.same_tab, a code that holds a link, and a scroll to the top: no other HTML."""
    for path in (*ROOT.glob("ui/**/*.py"), *ROOT.glob("pages/*.py"), ROOT / "app.py"):
        source = path.read_text(encoding="utf-8")
        assert path.name == "link.py" or source.count("unsafe_allow_html") <= source.count(
            "same_tab("
        )
        assert "<a " not in source or path.name in ("link.py", "plain.py")
        known = sum(map(source.count, KNOWN_HTML))
        assert source.count("st.html") == known <= 1 and "components" not in source

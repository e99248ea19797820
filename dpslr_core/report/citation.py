"""How to cite the paper and this tool."""

from __future__ import annotations

from ..support import VERSION

PAPER = {
    "author": "Alabi, Daniel and McMillan, Audra and Sarathy, Jayshree and Smith, Adam and Vadhan, Salil",
    "title": "Differentially Private Simple Linear Regression",
    "journal": "Proceedings on Privacy Enhancing Technologies",
    "year": "2022",
    "volume": "2022",
    "number": "2",
    "pages": "184--204",
    "doi": "10.2478/popets-2022-0041",
}
TOOL = {
    "author": "{The dpslr authors}",
    "title": "dpslr: which differentially private simple-linear-regression algorithm for data like mine?",
    "year": "2026",
    "version": VERSION,
    "note": "Dashboard and Python package, MIT licence",
}


def bibtex() -> str:
    """Both as entries of BibTeX."""
    entries = (("article", "alabi2022dpslr", PAPER), ("software", "dpslr", TOOL))
    return "\n\n".join(_entry(kind, key, fields) for kind, key, fields in entries)


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def plain_citations() -> str:
    """Both in words, the paper first."""
    p, t = PAPER, TOOL
    authors = p["author"].replace(" and ", "; ")
    pages = p["pages"].replace("--", "–")
    return (
        f"The paper: {authors} ({p['year']}). {p['title']}. {p['journal']} {p['volume']}({p['number']}), {pages}. "
        f"doi:{p['doi']}.\n"
        f"This tool: {t['author'].strip('{}')} ({t['year']}). {t['title']} Version {t['version']}."
    )

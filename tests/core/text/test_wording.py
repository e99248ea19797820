"""Every sentence of ``tests/golden/sentences.json``, where the wording of all cases is reviewed, can be read."""

import re

from tests.cases.readable import check_readable
from tests.golden.stored import read


def texts(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts(part)


def test_sentences_are_short_and_their_numbers_are_for_people():
    said = list(texts(read("sentences")))
    assert len(said) > 100
    for text in said:
        check_readable(re.sub(r"(?<=[;:]) ", ". ", text))

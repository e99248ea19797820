"""What one visitor uploads is no one else's, and what a page shows can be saved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests

from benchmarks.visitor import Visitor

ROWS = "".join(
    f"{hours},{40 + 5 * hours + extra / 7:.4f}\n" for hours in range(10) for extra in range(6)
)
FILE = f"hours,score\n{ROWS}".encode()


@pytest.fixture
def visitor(address: str) -> Iterator[Visitor]:
    """On the Data page, after an upload whose data are in use."""
    visitor = Visitor(
        address, "data", "source=upload&trials=20&algorithms=NoisyStats&details=Private+lines"
    )
    visitor.run()
    assert visitor.upload("upload_file", "mine.csv", FILE) == 204
    bounds = {"upload_lower_hours": "0", "upload_upper_hours": "10"}
    visitor.run(**bounds, upload_lower_score="0", upload_upper_score="120")
    yield visitor
    visitor.close()


def test_a_click_saves_what_is_shown_while_runs_of_others_end(address: str):
    """Streamlit deletes at the end of any run what no session holds then, and a run that has begun holds nothing."""
    visitor = Visitor(address, "compare", "n=5000&trials=1000")
    visitor.run()
    path = visitor.download("csv_ranking")
    others = [Visitor(address, "methods") for _ in range(2)]
    visitor.begin(data_seed=11)
    visitor.await_start()
    for other in others:
        other.run()
    answer = requests.get(address + path, timeout=60)
    for each in (visitor, *others):
        each.close()
    assert answer.status_code == 200 and len(answer.content) > 100


def test_an_upload_cannot_be_fetched(address: str, visitor: Visitor):
    """Neither by another client nor by the one that sent it."""
    [state] = [
        it
        for it in visitor.widgets.values()
        if it.WhichOneof("value") == "file_uploader_state_value"
    ]
    path = state.file_uploader_state_value.uploaded_file_info[0].file_urls.upload_url
    answer = requests.get(address + path, timeout=30)
    assert answer.status_code in (404, 405) or b"<!doctype html>" in answer.content.lower()
    assert b"40.1429" in FILE and b"40.1429" not in answer.content


def test_another_visitor_does_not_see_the_upload(address: str, visitor: Visitor):
    other = Visitor(address, "data", "source=upload")
    drawn = other.run()
    other.close()
    assert not [message for _, message in drawn if b"mine.csv" in message.SerializeToString()]
    assert [
        message for _, message in visitor.elements if b"mine.csv" in message.SerializeToString()
    ]

"""What one visitor uploads and saves is no one else's, and ends with the visit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests

from benchmarks.visitor import Visitor
from tests.serve.servers import ROOT, wait_for

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
ROWS = "".join(f"{hours},{40 + 5 * hours + extra / 7:.4f}\n" for hours in range(10) for extra in range(6))
FILE = f"hours,score\n{ROWS}".encode()


@pytest.fixture
def visitor(address: str) -> Iterator[Visitor]:
    """On the Data page, after an upload whose data are in use."""
    visitor = Visitor(address, "data", "source=upload&trials=20&algorithms=NoisyStats&details=Private+lines")
    visitor.run()
    assert visitor.upload("upload_file", "mine.csv", FILE) == 204
    bounds = {"upload_lower_hours_box": "0", "upload_upper_hours_box": "10"}
    visitor.run(**bounds, upload_lower_score_box="0", upload_upper_score_box="120")
    yield visitor
    visitor.close()


def test_a_download_is_made_at_the_click_and_gone_with_the_session(address: str, visitor: Visitor):
    """The address needs no cookie: Streamlit has none for it."""
    saved = [visitor.download(key) for key in ("csv_data", "take_data.csv", "take_data.svg")]
    for path in saved:
        answer = requests.get(address + path, timeout=30)
        assert answer.status_code == 200 and len(answer.content) > 100
    visitor.close()
    for path in saved:
        # a session ends after COMES_BACK seconds at the latest
        wait_for(lambda path=path: requests.get(address + path, timeout=30).status_code == 404, f"no {path}", 120)


def test_a_click_while_the_page_is_run_again_saves_what_is_shown(address: str):
    """Two steps of a control, the second while the first is computed: the browser shows the page before both."""
    visitor = Visitor(address, "compare", "n=1000")
    visitor.run()
    for seed in (11, 12):
        visitor.begin(data_seed=seed)
        visitor.await_start()
    answer = requests.get(address + visitor.download("take_compare.csv"), timeout=60)
    visitor.close()
    assert answer.status_code == 200 and len(answer.content) > 100


def test_no_page_serves_anything_before_a_click(address: str, visitor: Visitor):
    """Charts and tables go over the visitor's own connection; only what a button made has an address."""
    for page in PAGES:
        visitor.page = page
        drawn = visitor.run()
        assert len(drawn) > 10, page
        assert not [kind for kind, message in drawn if b"/media/" in message.SerializeToString()], page
        buttons = [message for kind, message in drawn if kind == "download_button"]
        assert all(button.deferred_file_id and not button.url for button in buttons), page


def test_an_upload_cannot_be_fetched(address: str, visitor: Visitor):
    """Neither by another client nor by the one that sent it."""
    [state] = [it for it in visitor.widgets.values() if it.WhichOneof("value") == "file_uploader_state_value"]
    path = state.file_uploader_state_value.uploaded_file_info[0].file_urls.upload_url
    answer = requests.get(address + path, timeout=30)
    assert answer.status_code in (404, 405) or b"<!doctype html>" in answer.content.lower()
    assert b"40.1429" in FILE and b"40.1429" not in answer.content


def test_another_visitor_does_not_see_the_upload(address: str, visitor: Visitor):
    other = Visitor(address, "data", "source=upload")
    drawn = other.run()
    other.close()
    assert not [message for _, message in drawn if b"mine.csv" in message.SerializeToString()]
    assert [message for _, message in visitor.elements if b"mine.csv" in message.SerializeToString()]

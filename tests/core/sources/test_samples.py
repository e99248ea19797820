"""The UCI data sets: recipes on the real files where they are, look-up, checksums and downloads on small ones."""

from __future__ import annotations

import dataclasses
import io
import zipfile

import numpy as np
import pandas as pd
import pytest

from dpslr_core.sources import samples as uci
from dpslr_core.sources.samples import UCI, DataUnavailable, content_digest, find_uci, load_uci
from tests.cases.paper import uci_or_skip

DATA = {data.key: data for data in UCI}

BIKES = """instant,mnth,hr,temp,cnt
0,2,0,0.5,977
1,1,10,0.24,16
2,1,9,0.22,40
3,1,10,0.3,0
4,2,0,1,1
"""
NANOTUBES = (
    "Chiral indice n;Chiral indice m;Initial atomic coordinate u;Initial atomic coordinate v;"
    "Initial atomic coordinate w;Calculated atomic coordinates u';Calculated atomic coordinates v';"
    "Calculated atomic coordinates w'\r\n"
    "2;1;0,679005;0,701318;0,017033;0,721039;0,730232;0,017014\r\n"
    "2;1;0,717298;0,642129;0,021;0,738414;0,65675;0,232369\r\n"
    "2;1;0,717298;0,642129;0,795605;0,738414;0,65675;1\r\n"
    "2;1;0,489336;0,303751;0,088462;0,477676;0,263221;0,08871\r\n"
)
STOCKS = (
    ",TL BASED,USD BASED,imkb_x\ndate,ISE,ISE,SP\n05-Jan-09,0.035753708,0.038376187,-0.0046\n"
    "31-Dec-09,-0.062208079,0.073005406,0\n04-Jan-10,0.5,0.5,0.5\n"
)


@pytest.fixture(autouse=True)
def _own_cache(request, monkeypatch, tmp_path):
    """Every test but those on the real files has an empty cache, no network and tmp_path as its data folder."""
    if "real" in request.fixturenames:
        return

    def refuse(*_):
        raise ConnectionError("no network in tests")

    monkeypatch.setenv(uci.FOLDER_VARIABLE, str(tmp_path))
    monkeypatch.setattr(uci, "_cache", lambda: tmp_path / "cache")
    monkeypatch.setattr(uci, "download", refuse)


@pytest.fixture
def real(monkeypatch):
    """Path and data of a data set from the real file; skips where this machine has none."""

    def load(key):
        uci_or_skip(monkeypatch, key)
        return find_uci(key), load_uci(key)

    return load


def accept(monkeypatch: pytest.MonkeyPatch, key: str, frame: pd.DataFrame) -> None:
    """Make a small frame the expected content of a data set."""
    entry = dataclasses.replace(DATA[key], digest=content_digest(frame))
    monkeypatch.setattr(uci, "UCI", tuple(entry if data.key == key else data for data in UCI))


def zipped(**members: str | bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "."), content)
    return buffer.getvalue()


def serve(monkeypatch: pytest.MonkeyPatch, content: bytes) -> list[str]:
    """Replace the download by one that writes content; returns the addresses that were asked for."""
    asked: list[str] = []

    def download(url, folder, name):
        asked.append(url)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
        return folder / name

    monkeypatch.setattr(uci, "download", download)
    return asked


# The real files


@pytest.mark.parametrize("key", DATA)
def test_real_grouped_data_are_whole(real, key):
    grouped = real(key)[1]
    assert (
        grouped.reproducible
        and grouped.unusable == {}
        and grouped.clipped_x == grouped.clipped_y == 0
    )
    assert "UCI" in grouped.about


# Recipes on small tables


def test_bike_recipe_orders_groups_and_keeps_file_order_within():
    frame = uci._bikes(BIKES.encode(), False)
    assert list(frame["group"].unique()) == [
        "month 1, hour 9",
        "month 1, hour 10",
        "month 2, hour 0",
    ]
    np.testing.assert_array_equal(frame["x"], [0.22, 0.24, 0.3, 0.5, 1])
    np.testing.assert_array_equal(frame["y"], np.array([40, 16, 0, 977, 1]) / 977)


@pytest.mark.parametrize("text", [NANOTUBES, NANOTUBES.replace(",", ".")])
def test_nanotube_recipe_drops_short_numbers_and_takes_both_decimal_signs(text):
    frame = uci._nanotubes(text.encode(), False)
    np.testing.assert_array_equal(frame[["x", "y"]], [[0.017033, 0.017014], [0.088462, 0.08871]])


def test_stock_recipe_takes_2009_whatever_the_header():
    frame = uci._stocks(STOCKS.encode(), False)
    assert len(frame) == 2
    assert frame["x"].iloc[1] == 0 and frame["y"].iloc[1] == 1


# Looking for files


def test_the_folder_that_is_named_comes_before_the_cache(monkeypatch, tmp_path):
    assert find_uci("bikes") is None
    for folder in (tmp_path / "cache", tmp_path):
        folder.mkdir(exist_ok=True)
        (folder / "hour.csv").write_text(BIKES)
        assert find_uci("bikes") == folder / "hour.csv"
    monkeypatch.setenv(uci.FOLDER_VARIABLE, "")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cache" / "hour.csv").unlink()
    assert find_uci("bikes") is None  # an empty variable does not mean the current folder


def test_a_file_that_is_something_else_is_refused_by_name(tmp_path):
    (tmp_path / "hour.csv").write_text(BIKES)
    with pytest.raises(
        DataUnavailable, match=r"hour\.csv does not hold Bike share.*checksum differs.*upload"
    ):
        load_uci("bikes")


DAMAGED = {
    "empty": b"",
    "other columns": b"a,b\n1,2\n",
    "zeros": bytes(5000),
    "text for a number": b"mnth,hr,temp,cnt\n1,2,warm,5\n",
    "noise": np.random.default_rng(0).bytes(4000),
}


@pytest.mark.parametrize("key", DATA)
def test_damaged_files_are_refused_by_name(tmp_path, key):
    for kind, content in DAMAGED.items():
        for name in (*DATA[key].files, DATA[key].archive):
            path = tmp_path / name
            path.write_bytes(content)
            with pytest.raises(DataUnavailable, match=r"upload") as caught:
                load_uci(key)
            assert str(path) in str(caught.value), kind
            path.unlink()


# Downloads


def test_no_network_is_a_clear_sentence():
    for key, data in DATA.items():
        with pytest.raises(DataUnavailable, match="is there a network") as caught:
            load_uci(key)
        cure = f"Name a folder that holds its file in {uci.FOLDER_VARIABLE}"
        for words in (data.title, data.url, "upload the data as a CSV", cure):
            assert words in str(caught.value)


def test_download_is_unpacked_checked_and_kept(monkeypatch):
    accept(monkeypatch, "bikes", uci._bikes(BIKES.encode(), False))
    members = {"Readme__txt": "no", "day__csv": "no", "folder/hour__csv": BIKES}
    asked = serve(monkeypatch, zipped(**members))
    first, second = load_uci("bikes"), load_uci("bikes")
    assert asked == [DATA["bikes"].url]  # the second came from the cache
    pd.testing.assert_frame_equal(first.frame, second.frame)


def test_download_of_a_workbook(monkeypatch):
    table = pd.DataFrame([line.split(",") for line in STOCKS.splitlines()]).astype(object)
    table.iloc[2:, 1:] = table.iloc[2:, 1:].map(float)
    table.iloc[2:, 0] = pd.to_datetime(table.iloc[2:, 0], format="%d-%b-%y").astype(object)
    workbook = io.BytesIO()
    table.to_excel(workbook, header=False, index=False)
    accept(monkeypatch, "stocks", uci._stocks(STOCKS.encode(), False))
    serve(monkeypatch, zipped(data_akbilgic__xlsx=workbook.getvalue()))
    assert load_uci("stocks").sizes == {"all": 2}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>please sign in</html>", "not a zip file"),
        (zipped(other__csv="1"), "holds none of bikeshare_hour.csv, hour.csv"),
        (zipped(hour__csv=BIKES), "checksum differs"),
    ],
)
def test_a_wrong_download_is_refused_and_not_kept(monkeypatch, tmp_path, content, message):
    serve(monkeypatch, content)
    with pytest.raises(DataUnavailable, match=message):
        load_uci("bikes")
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_huge_member_is_not_unpacked(monkeypatch, tmp_path):
    monkeypatch.setattr(uci, "LARGEST_MEMBER", 10)
    serve(monkeypatch, zipped(hour__csv=BIKES))
    with pytest.raises(DataUnavailable, match="holds none of"):
        load_uci("bikes")

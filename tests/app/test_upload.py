"""Uploading through the page: what is wrong is said, what was loaded stays, and a link gives the same data again."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.cases.opened import (
    app,
    bounded,
    changed,
    fine,
    in_link,
    pressed,
    read,
    turned,
    upload,
    words,
)


def table(rows: int = 60, seed: int = 1) -> str:
    rng = np.random.default_rng(seed)
    hours = rng.uniform(0, 10, rows)
    score = 40 + 5 * hours + rng.normal(0, 5, rows)
    lines = [f"{('north', 'south')[i % 2]},{hours[i]:.2f},{score[i]:.1f}" for i in range(rows)]
    return "\n".join(["school,hours,score", *lines])


AGENCY = "tract,born,income,rank,person\n" + "".join(
    f'{i % 4:06d},{1978 + i % 5},"${40_000 + 500 * i:,}.50",{30 + i % 40}%,{f"h{i % 30}" if i < 60 else ""}\n'
    for i in range(100)
)  # four tracts of 25 rows; 30 people have two rows each, 40 rows have no id


def uploaded(content: str | bytes, name: str = "mine.csv", **query: str) -> AppTest:
    return upload(app("data", source="upload", **query), content, name)


def loaded() -> AppTest:
    return bounded(uploaded(table()), hours=(0.0, 10.0), score=(0.0, 120.0))


def agency() -> AppTest:
    test = uploaded(AGENCY)
    changed(test, "upload_group", "tract")
    return bounded(test, income=(0.0, 250_000.0), rank=(0.0, 100.0))


def columns(test: AppTest) -> list[str | None]:
    return [test.selectbox(key=f"upload_{which}").value for which in ("x", "y")]


def shown_bounds(test: AppTest) -> list[float | None]:
    boxes = [
        box.value for box in test.main.text_input if re.match("upload_(lower|upper)_", str(box.key))
    ]
    return [float(text) if text else None for text in boxes]


def complaints(test: AppTest) -> str:
    return read("\n".join(box.value for box in (*test.error, *test.warning)))


def captions(test: AppTest) -> str:
    return read("\n".join(caption.value for caption in test.caption))


def mine_stays(test: AppTest) -> bool:
    return "mine.csv" in test.info[0].value and test.metric[0].value == "60"


def test_bounds_start_empty():
    test = uploaded(table())
    assert shown_bounds(test) == [None] * 4
    assert "Enter the bounds of x and y" in test.info[0].value
    assert test.header[0].value == "Choose columns and their public bounds" and not test.metric
    changed(test, "upload_lower_hours", "0")
    assert "Enter the bounds" in test.info[0].value and not test.metric
    bounded(test, hours=(0.0, 110.0), score=(0.0, 100.0))
    assert shown_bounds(test) == [0, 110, 0, 100] and test.metric[0].value == "60"
    turned(test, "compare")
    assert "mine.csv" in captions(test) and test.get("vega_lite_chart")


def test_identifiers_are_not_offered_first_and_the_form_stays_open_until_done():
    test = uploaded(AGENCY)
    assert columns(test) == test.selectbox(key="upload_x").options[:2] == ["income", "rank"]
    assert list(test.dataframe[0].value["column"]) == ["income", "rank"]
    assert test.session_state["upload_form"] and test.button(key="upload_done").disabled
    bounded(test, income=(0.0, 250_000.0), rank=(0.0, 100.0))
    assert test.session_state["upload_form"] and test.metric[0].value == "100"
    pressed(test, "upload_done")
    assert not test.session_state["upload_form"] and test.metric[0].value == "100"
    assert not turned(turned(test, "compare"), "data").session_state["upload_form"]


def test_people_with_more_rows_than_are_covered_are_said_on_every_page_until_the_user_confirms():
    test = changed(agency(), "upload_person", "person")
    sentence = "In this file one person has 2 rows at most, but the guarantee covers 1."
    assert sentence in words(test) and sentence in complaints(test)
    assert test.session_state["records_per_person"] == "1"  # nothing is set from the data unasked
    assert sentence in complaints(turned(test, "compare"))
    fine(turned(test, "data").button(key="upload_cover").click().run())
    assert test.session_state["records_per_person"] == "2" and sentence not in complaints(test)
    covered = "In this file one person has 2 rows at most. The guarantee covers 2. This was read off the file"
    assert covered in words(test)
    assert in_link(test, "person_column") == ["person"] and in_link(test, "records_per_person") == [
        "2"
    ]


def test_usual_points_lie_where_most_people_are():
    test = agency()
    assert test.sidebar.text_input(key="x_new").placeholder == "62,500; 187,500"
    assert "At income = 62,500 the line through" in words(test)
    test.text_input(key="upload_most_from_income").set_value("$150,000")
    test.text_input(key="upload_most_to_income").set_value("190,000")
    fine(test.run())
    assert test.sidebar.text_input(key="x_new").placeholder == "160,000; 180,000"
    assert "income = 160,000 and 180,000 lie beyond all records" in captions(test)
    assert in_link(test, "x_most") == ["150000, 190000"]
    assert "income = 160,000 lies beyond all records." in words(turned(test, "compare"))
    pressed(turned(test, "small_areas"), "true_file")
    assert "income = 160,000 lies beyond all records." in words(test)


def test_losses_that_matter_are_said_first_and_others_below():
    test = agency()
    assert "No row left out; nothing clipped." in words(test) and not test.warning[1:]
    bounded(test, rank=(0.0, 60.0))
    sentence = "No row left out; 18 of 100 values of rank clipped."
    assert sentence in complaints(test) and sentence not in complaints(turned(test, "small_areas"))
    assert f"{sentence} This was read off" in complaints(pressed(test, "true_file"))


def test_bounds_clip_and_what_cannot_be_used_is_a_sentence_and_the_data_stay():
    test = bounded(loaded(), hours=(0.0, 5.0))
    assert "were moved to the nearer bound" in complaints(test)
    bounded(test, hours=(0.0, -5.0))
    assert "lower must be below upper" in test.error[0].value and test.metric[0].value == "60"
    assert "hours" not in test.selectbox(key="upload_y").options
    test = uploaded("place,town,case\n" + "".join(f"p{i},q{i},{i}\n" for i in range(9)))
    assert columns(test)[0] == "case"
    assert [box.value for box in test.error] == [
        "Column 'place' has no numbers, for example 'p0' in row 2."
    ]


def test_a_bad_file_is_a_sentence_and_the_data_loaded_before_stay():
    test = loaded()
    for content, part in (
        (b"", "empty"),
        (bytes(200 * 2**20), "MB"),
        ("x y\n1 2\n2 3\n3 4\n", "column"),
        ("hours,score\n1,1\n1,2\n1,3\n1,4\n", "constant"),
    ):
        upload(test, content, "bad.csv")
        assert part in complaints(test) and mine_stays(test), part


def test_how_numbers_are_written_can_be_corrected():
    rows = "".join(f'"{i},234",{i}\n' for i in range(1, 40))
    test = bounded(uploaded("x,y\n" + rows), x=(0.0, 50.0), y=(0.0, 50.0))
    assert (
        "'1,234', row 2, could mean 1234 (decimal point) or 1.234 (decimal comma)"
        in test.error[0].value
    )
    assert "upload_grouped" not in test.session_state  # nothing is computed from a guess
    pressed(test, "upload_fill")
    assert (
        test.session_state["upload_upper_x"] == "50.0"
        and test.session_state["upload_upper_y"] == "39"
    )
    changed(test, "upload_numbers_x", "comma")
    assert test.dataframe[0].value["read as"][0] == "numbers, decimal comma"
    assert "could mean" not in complaints(test) and "clipped" not in complaints(test)
    assert test.metric[0].value == "39"


def test_a_file_with_other_columns_takes_over():
    test = upload(
        loaded(), "hours,pay\n" + "".join(f"{i},{2 * i}\n" for i in range(20)), "other.csv"
    )
    assert columns(test) == ["hours", "pay"]
    assert "mine.csv" in [box.value for box in test.info][-1]
    assert bounded(test, hours=(0.0, 20.0), pay=(0.0, 40.0)).metric[0].value == "20"


def test_columns_and_bounds_of_a_link_are_taken_once_and_unusable_bounds_forgotten():
    test = uploaded(table(), x_column="score", x_bounds="0, 120")
    assert columns(test) == ["score", "hours"] and shown_bounds(test) == [0, 120, None, None]
    for bounds in ("5, 1", "a", "nan, 2", "1,2,3"):
        assert shown_bounds(uploaded(table(), x_column="hours", x_bounds=bounds)) == [None] * 4, (
            bounds
        )


def test_choices_stay_when_the_page_is_left_and_a_colleague_with_link_and_file_has_the_same_data():
    test = bounded(loaded(), hours=(0.1, 9.0), score=(30.0, 90.0))
    for which, value in (("transform_hours", "log10"), ("group", "school")):
        changed(test, f"upload_{which}", value)
    changed(test, "upload_numbers_hours", "point")
    assert test.sidebar.text_input(key="x_new").placeholder == "-0.511439, 0.465682"
    turned(test, "compare")
    assert "log10 hours" in captions(test)
    cited = next(code.value for code in test.code if code.value.startswith("/compare?"))
    query = parse_qs(cited.partition("?")[2])
    assert (
        query["x_column"] == ["hours"]
        and query["y_bounds"] == ["30, 90"]
        and query["x_numbers"] == ["point"]
    )
    turned(test, "data")
    assert test.file_uploader(key="upload_file").value is None and not test.error
    assert [*columns(test), test.selectbox(key="upload_group").value] == [
        "hours",
        "score",
        "school",
    ]
    assert shown_bounds(test) == [0.1, 9, 30, 90]
    colleague = app("data", **query)
    assert colleague.header[0].value == "Upload a file"
    upload(colleague, table(), "the same.csv")
    again, ours = (each.session_state["upload_grouped"] for each in (colleague, test))
    assert again.digest == ours.digest and (again.x, again.y) == (ours.x, ours.y)
    assert again.groups == ("north", "south") and again.x.name == "log10 hours"
    assert colleague.session_state["upload_choice"] == test.session_state["upload_choice"]

"""Uploading through the page: what is wrong is said, and what was loaded stays."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.cases.opened import app, bounded, fine, heading, in_link, read, typed, upload, words


def table(rows: int = 60, seed: int = 1) -> str:
    rng = np.random.default_rng(seed)
    hours = rng.uniform(0, 10, rows)
    score = 40 + 5 * hours + rng.normal(0, 5, rows)
    school = np.array(["north", "south"])[np.arange(rows) % 2]
    lines = [f"{s},{h:.2f},{y:.1f}" for s, h, y in zip(school, hours, score, strict=True)]
    return "\n".join(["school,hours,score", *lines])


def shown_bounds(test: AppTest) -> list[float | None]:
    boxes = [box.value for box in test.main.text_input if re.match("upload_(lower|upper)_", str(box.key))]
    return [float(text) if text else None for text in boxes]


def loaded() -> AppTest:
    return bounded(upload(app("data", source="upload"), table()), hours=(0.0, 10.0), score=(0.0, 120.0))


def complaints(test: AppTest) -> str:
    return "\n".join(box.value for box in (*test.error, *test.warning))


def test_a_csv_becomes_the_data_of_every_page():
    test = loaded()
    assert test.metric[0].value == "60"
    test.switch_page("pages/compare.py").run()
    assert not test.exception
    assert "mine.csv" in test.caption[0].value or any("mine.csv" in c.value for c in test.caption)
    assert test.get("vega_lite_chart")


def test_a_file_that_there_is_no_room_for_is_refused_in_words(monkeypatch):
    monkeypatch.setattr("ui.upload.upload_is_refused", lambda file_id: True)
    test = upload(app("data", source="upload"), "")
    assert complaints(test).startswith("This file was not taken: with it, the server would hold more than 500 MB")


def test_bounds_start_empty_and_are_asked_for():
    test = upload(app("data", source="upload"), table())
    assert shown_bounds(test) == [None] * 4
    assert "Enter the bounds of x and y" in test.info[0].value
    assert test.header[0].value == "Choose columns and their public bounds" and not test.metric
    typed(test, "upload_lower_hours", "0")
    assert "Enter the bounds" in test.info[0].value and not test.metric


AGENCY = "tract,born,income,rank,person\n" + "".join(
    f'{i % 4:06d},{1978 + i % 5},"${40_000 + 500 * i:,}.50",{30 + i % 40}%,{f"h{i % 30}" if i < 60 else ""}\n'
    for i in range(100)
)  # four tracts of 25 rows; 30 people have two rows each, 40 rows have no id


def agency() -> AppTest:
    test = upload(app("data", source="upload"), AGENCY)
    fine(test.selectbox(key="upload_group").set_value("tract").run())
    return bounded(test, income=(0.0, 250_000.0), rank=(0.0, 100.0))


def test_identifiers_and_years_are_not_offered_first():
    test = upload(app("data", source="upload"), AGENCY)
    assert [test.selectbox(key=f"upload_{which}").value for which in ("x", "y")] == ["income", "rank"]
    assert test.selectbox(key="upload_x").options[:2] == ["income", "rank"]
    assert test.dataframe[0].value.set_index("column")["likely"]["tract"] == "identifier? (leading zeros)"


def test_the_form_stays_open_until_done_and_opens_with_another_file():
    test = upload(app("data", source="upload"), AGENCY)
    assert test.session_state["upload_form"] and test.button(key="upload_done").disabled
    test = bounded(test, income=(0.0, 250_000.0), rank=(0.0, 100.0))
    assert test.session_state["upload_form"] and test.metric[0].value == "100"
    fine(test.button(key="upload_done").click().run())
    assert not test.session_state["upload_form"] and test.metric[0].value == "100"
    fine(test.switch_page("pages/compare.py").run())
    fine(test.switch_page("pages/data.py").run())
    assert not test.session_state["upload_form"]
    assert upload(test, table(), "other.csv").session_state["upload_form"]


def test_people_with_more_rows_than_are_covered_are_said_on_every_page_until_the_user_confirms():
    test = agency()
    fine(test.selectbox(key="upload_person").set_value("person").run())
    said = "In this file one person has 2 rows at most, but the guarantee covers 1."
    assert said in words(test) and said in complaints(test)
    assert test.session_state["records_per_person"] == 1  # nothing is set from the data unasked
    fine(test.switch_page("pages/compare.py").run())
    assert said in complaints(test)
    fine(test.switch_page("pages/data.py").run())
    fine(test.button(key="upload_cover").click().run())
    assert test.session_state["records_per_person"] == 2 and said not in complaints(test)
    assert "In this file one person has 2 rows at most. The guarantee covers 2. This was read off the file" in words(
        test
    )
    assert in_link(test, "person_column") == ["person"] and in_link(test, "records_per_person") == ["2"]


def test_usual_points_lie_where_most_people_are():
    test = agency()
    assert test.sidebar.text_input(key="x_new").placeholder == "62,500; 187,500"
    assert "At income = 62,500 the line through" in heading(test)
    test.text_input(key="upload_most_from_income_box").set_value("$150,000")
    test.text_input(key="upload_most_to_income_box").set_value("190,000")
    fine(test.run())
    assert test.sidebar.text_input(key="x_new").placeholder == "160,000; 180,000"
    assert "At income = 160,000, beyond all records, the line through" in heading(test)
    assert in_link(test, "x_most") == ["150000, 190000"]
    fine(test.switch_page("pages/compare.py").run())
    assert heading(test).endswith("income = 160,000 lies beyond all records.")
    fine(test.switch_page("pages/small_areas.py").run())
    assert heading(test).endswith("income = 160,000 lies beyond all records.")


def test_losses_that_matter_are_said_first_and_others_below():
    test = agency()
    assert "No row left out; nothing clipped." in words(test) and not test.warning[1:]
    test = bounded(test, rank=(0.0, 60.0))
    said = "No row left out; 18 of 100 values of rank clipped."
    assert said in complaints(test)
    fine(test.switch_page("pages/small_areas.py").run())
    assert said in complaints(test)


def test_bounds_of_public_data_can_be_taken_from_the_file():
    test = upload(app("data", source="upload"), "x,y\n3,10\n1,30\n2,\n5,20\n")
    fine(test.button(key="upload_fill").click().run())
    assert shown_bounds(test) == [1, 5, 10, 30]
    assert test.metric[0].value == "3"


def test_bounds_rescale_and_clip_and_what_cannot_be_is_a_sentence_and_the_data_stay():
    test = bounded(loaded(), hours=(0.0, 5.0))
    assert "were moved to the nearer bound" in complaints(test)
    test = bounded(test, hours=(0.0, -5.0))
    assert "lower must be below upper" in test.error[0].value and test.metric[0].value == "60"
    fine(test.selectbox(key="upload_y").set_value("hours").run())
    assert test.error[0].value == "x and y are the same column, 'hours'; a line needs two different ones."
    assert "mine.csv" in test.info[0].value and test.metric[0].value == "60"


def test_a_file_whose_only_numbers_come_last_is_a_sentence_that_needs_no_bounds():
    rows = "".join(f"p{i},q{i},{i}\n" for i in range(9))
    test = upload(app("data", source="upload"), "place,town,case\n" + rows)
    assert test.selectbox(key="upload_x").value == "case"
    assert [box.value for box in test.error] == ["Column 'place' has no numbers, for example 'p0' in row 2."]


def test_how_numbers_are_written_can_be_corrected():
    rows = "".join(f'"{i},234",{i}\n' for i in range(1, 40))
    test = bounded(upload(app("data", source="upload"), "x,y\n" + rows), x=(0.0, 50.0), y=(0.0, 50.0))
    assert "'1,234', row 2, could mean 1234 (decimal point) or 1.234 (decimal comma)" in test.error[0].value
    assert "upload_grouped" not in test.session_state  # nothing is computed from a guess
    fine(test.button(key="upload_fill").click().run())
    assert test.session_state["upload_upper_x"] == 50 and test.session_state["upload_upper_y"] == 39
    fine(test.selectbox(key="upload_style_x").set_value("comma").run())
    assert test.dataframe[0].value["read as"][0] == "numbers, decimal comma"
    assert "could mean" not in complaints(test) and "clipped" not in complaints(test)
    assert test.metric[0].value == "39"


def test_columns_and_bounds_can_be_corrected_after_a_visit_elsewhere():
    test = loaded()
    test.selectbox(key="upload_group").set_value("school").run()
    fine(test.switch_page("pages/compare.py").run())
    fine(test.switch_page("pages/data.py").run())
    assert test.file_uploader(key="upload_file").value is None
    columns = [test.selectbox(key=f"upload_{which}").value for which in ("x", "y", "group")]
    assert columns == ["hours", "score", "school"]
    assert shown_bounds(test) == [0, 10, 0, 120] and test.metric[0].value == "30"
    assert "were moved" not in complaints(bounded(test, hours=(0.0, 20.0)))


def test_a_file_with_other_columns_takes_over():
    test = upload(loaded(), "hours,pay\n" + "".join(f"{i},{2 * i}\n" for i in range(20)), "other.csv")
    assert [test.selectbox(key=f"upload_{which}").value for which in ("x", "y")] == ["hours", "pay"]
    assert "mine.csv" in [box.value for box in test.info][-1]
    assert bounded(test, hours=(0.0, 20.0), pay=(0.0, 40.0)).metric[0].value == "20"


def test_the_address_keeps_what_a_reload_needs():
    """Columns, bounds, groups and writing stand in the address on every page; a reload and the same file go on."""
    test = loaded()
    test.selectbox(key="upload_group").set_value("school").run()
    fine(test.selectbox(key="upload_style_hours").set_value("point").run())
    for page in ("data", "compare"):
        fine(test.switch_page(f"pages/{page}.py").run())
        address = {key: [v] if isinstance(v, str) else list(v) for key, v in test.query_params.items()}
        assert address["x_column"] == ["hours"] and address["y_column"] == ["score"]
        assert address["x_bounds"] == ["0, 10"] and address["y_bounds"] == ["0, 120"]
        assert address["group_column"] == ["school"] and address["x_numbers"] == ["point"]
    again = upload(app("data", **address), table())
    assert again.metric[0].value == "30" and again.session_state["upload_choice"] == test.session_state["upload_choice"]
    fine(again.sidebar.radio(key="source").set_value("synthetic").run())
    assert not {"x_column", "x_bounds", "group_column"} & {*again.query_params}


def test_likely_columns_are_sought_once_for_each_file(monkeypatch):
    asked = []
    likely = ["hours", "score", "school"]
    monkeypatch.setattr("ui.upload.tables.likely_columns", lambda table: asked.append(table) or likely)
    test = loaded()
    fine(test.selectbox(key="upload_group").set_value("school").run())
    fine(upload(test, table(seed=2), "other.csv"))
    assert len(asked) == 2 and asked[0] is not asked[1]


def test_a_column_from_a_link_is_not_taken_twice():
    test = upload(app("data", source="upload", x_column="score", x_bounds="0, 120"), table())
    assert [test.selectbox(key=f"upload_{which}").value for which in ("x", "y")] == ["score", "hours"]
    assert shown_bounds(test) == [0, 120, None, None]


def test_bounds_in_a_link_that_cannot_be_used_are_forgotten():
    for bounds in ("5, 1", "a", "nan, 2", "1,2,3"):
        test = upload(app("data", source="upload", x_column="hours", x_bounds=bounds), table())
        assert shown_bounds(test) == [None] * 4


def test_a_bad_file_is_a_sentence_and_the_data_loaded_before_stay():
    test = loaded()
    for content, said in (
        (b"", "empty"),
        (b"a,b\n", "row"),
        (b"a,b\n1,2\n", "row"),
        (bytes(200 * 2**20), "MB"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "picture"),
        ("x y\n1 2\n2 3\n3 4\n", "column"),
        ("hours,score\n1,1\n1,2\n1,3\n1,4\n", "constant"),
    ):
        test = upload(test, content, "bad.csv")
        assert said in complaints(test)
        assert "mine.csv" in test.info[0].value
        assert test.metric[0].value == "60"


# Bounds by kind, transforms


def test_usual_public_bounds_are_one_click_each():
    test = upload(app("data", source="upload"), table())
    for which, kind in (("x", "age"), ("y", "percent")):
        button = next(b for b in test.button if b.key.startswith(f"upload_usual_{which}_") and b.label.startswith(kind))
        fine(button.click().run())
    assert shown_bounds(test) == [0, 110, 0, 100]
    assert test.metric[0].value == "60"


def chosen_transform(test: AppTest, column: str, transform: str, text: str = "") -> AppTest:
    fine(test.selectbox(key=f"upload_transform_{column}").set_value(transform).run())
    if text:
        fine(test.text_area(key=f"upload_table_{column}").set_value(text).run())
    return test


def test_a_logarithm_names_itself_and_speaks_its_own_units():
    test = chosen_transform(bounded(loaded(), hours=(0.1, 10.0)), "hours", "log10")
    assert "log10 hours" in heading(test)
    assert test.sidebar.text_input(key="x_new").placeholder == "-0.5, 0.5"
    grouped = test.session_state["upload_grouped"]
    assert (grouped.x.name, grouped.x.lower, grouped.x.upper) == ("log10 hours", -1, 1)
    assert "log10 hours -1 to 1" in read("\n".join(caption.value for caption in test.caption))


TABLE = "value,percentile\n40,0\n60,50\n100,100\n"


def test_a_table_from_a_small_file_is_shown_in_the_box():
    test = chosen_transform(loaded(), "score", "table")
    assert "2 to 201 rows, got 0" in test.error[0].value
    fine(test.file_uploader(key="upload_table_file_y").set_value(("ranks.csv", TABLE.encode(), "text/csv")).run())
    assert test.text_area(key="upload_table_score").value == TABLE and not test.error


def test_a_transform_that_cannot_be_used_is_a_sentence_and_the_data_stay():
    test = chosen_transform(loaded(), "score", "table", "40 0\n60 $x$\n")
    assert "Transform of y: row 2 of the reference table must be two numbers, got '60 $x$'" in read(test.error[0].value)
    test = chosen_transform(chosen_transform(test, "score", ""), "hours", "log10")
    said = "The bounds of 'hours' cannot be used: bounds of a logarithm must be above 0, got lower=0."
    assert [read(box.value) for box in test.error] == [said]
    assert "mine.csv" in test.info[0].value and test.metric[0].value == "60"


def test_a_transform_stays_when_the_page_is_left():
    test = chosen_transform(loaded(), "score", "table", TABLE)
    fine(test.switch_page("pages/compare.py").run())
    assert "percentile of score" in read("\n".join(caption.value for caption in test.caption))
    fine(test.switch_page("pages/data.py").run())
    assert test.selectbox(key="upload_transform_score").value == "table"
    assert test.text_area(key="upload_table_score").value == TABLE
    assert test.session_state["upload_grouped"].y.name == "percentile of score" and not test.error


def test_a_colleague_with_the_link_and_the_file_has_the_same_numbers():
    test = bounded(loaded(), hours=(0.1, 9.0), score=(30.0, 90.0))
    test = chosen_transform(chosen_transform(test, "hours", "log10"), "score", "table", TABLE)
    test.selectbox(key="upload_group").set_value("school").run()
    fine(test.switch_page("pages/compare.py").run())
    cited = next(code.value for code in test.code if code.value.startswith("/compare?"))
    query = parse_qs(cited.partition("?")[2])
    assert query["x_column"] == ["hours"] and query["y_bounds"] == ["30, 90"] and query["group_column"] == ["school"]
    colleague = app("data", **query)
    assert colleague.header[0].value == "Upload a file"
    colleague = upload(colleague, table(), "the same.csv")
    theirs, ours = (one.session_state["upload_grouped"] for one in (colleague, test))
    assert theirs.digest == ours.digest and (theirs.x, theirs.y) == (ours.x, ours.y)
    assert theirs.groups == ("north", "south") and theirs.x.name == "log10 hours"
    assert colleague.session_state["upload_choice"] == test.session_state["upload_choice"]


# Markup, agency files, points outside the records


def test_markup_in_headers_groups_and_file_names_is_text():
    x, y, group = "**x** $a$", "$ <b>y</b>", ":red[g]"
    rows = "".join(f"{i % 9},${3 * i}.50,$a_{i % 2}$\n" for i in range(40))
    test = upload(app("data", source="upload"), f"{x},{y},{group}\n{rows}", "$f$ **m**.csv")
    fine(test.selectbox(key="upload_group").set_value(group).run())
    test = bounded(test, **{x: (0.0, 9.0), y: (0.0, 200.0)})
    assert test.metric[0].value == "20"
    shown = [test.header[0].value, *(caption.value for caption in test.caption), *(e.label for e in test.main.expander)]
    for name in (x, y, "$f$ **m**.csv", "$a_0$"):
        assert any(name in read(text) for text in shown)
        assert not any(name in text for text in shown)


def test_points_outside_the_records_are_said_on_data_and_compare():
    rows = "".join(f"{20 + i / 10},{i}\n" for i in range(40))
    test = bounded(upload(app("data", source="upload"), "x,y\n" + rows), x=(0.0, 100.0), y=(0.0, 100.0))
    said = "x = 25 and 75 lie beyond the records, which end at 23.9: the line is extrapolated there."
    assert any(said in read(caption.value) for caption in test.caption)
    fine(test.switch_page("pages/compare.py").run())
    assert any(said in read(caption.value) for caption in test.caption)

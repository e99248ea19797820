"""One release: drawn once, given back afterwards, never uncounted, whenever the process ends."""

import signal
from fractions import Fraction

import pytest

from dpslr_core.mechanisms import CenteredStatsGaussian
from dpslr_core.release import log as logs
from dpslr_core.release import once, release, verify
from dpslr_core.release.base import Program
from dpslr_core.release.log import FOLDER, LogRefused, OverBudget, read_log
from dpslr_core.sources.stored import Unwritable
from dpslr_core.sources.tables import read_table
from tests.cases.forked import begun, ended, forked
from tests.cases.plans import COLUMNS, N, planned, pure, sealed, table, text

pytest.importorskip("opendp")
AREAS = 8
PLAN, DATA = planned(), table()
TABLE = planned(areas={f"s{i:03}": 4 for i in range(AREAS)}), table(n=4 * AREAS, areas=AREAS)


def spent(folder, definition="pure"):
    return read_log(folder).spent(definition)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / FOLDER


@pytest.fixture
def draws(monkeypatch):
    """A list with an entry for every draw of a program."""
    drawn, original = [], Program.draw

    def counted(self, x, y):
        drawn.append(self.n)
        return original(self, x, y)

    monkeypatch.setattr(Program, "draw", counted)
    return drawn


def named(name, *given, **more):
    """A plan that differs in its name alone, as that of next year's release."""
    return planned(*given, name=name, **more)


def test_the_same_plan_gives_back_what_was_released_whatever_the_records_are_now(folder, draws):
    first = release(PLAN, DATA, folder)
    header, *rows = text().splitlines()
    turned = read_table("\n".join([header, *reversed(rows)]).encode())
    for data in (DATA, turned, table(seed=1), table(n=5), read_table(b"")):
        again = release(PLAN, data, folder)
        assert again.earlier and again.text == first.text and again.path == first.path
    assert not first.earlier and draws == [N] and spent(folder) == 2
    assert verify(first.path, folder).plan == PLAN


def test_without_a_budget_the_first_promise_is_it_and_another_is_refused(folder):
    release(PLAN, DATA, folder)
    with pytest.raises(
        ValueError,
        match=r"the budget of this log is ε = 2 already; raise it with dpslr spent --raise",
    ):
        release(planned(epsilon=0.5), DATA, folder, pure("3"))
    with pytest.raises(OverBudget):
        release(planned(epsilon=0.5), DATA, folder)


def test_under_zcdp_the_maps_of_a_person_s_records_count_by_their_square():
    plan = planned(CenteredStatsGaussian(), records=3)
    each = Fraction(plan.promise.amount) / 9
    once._keeps(plan, [[{"opendp map": str(each)}]])
    with pytest.raises(ValueError, match="promise must cover"):
        once._keeps(plan, [[{"opendp map": str(each * Fraction(10**12 + 1, 10**12))}]])


def test_the_library_s_map_is_compared_before_the_records_are_read(folder, monkeypatch):
    calls = once.certificates.all_described(PLAN)
    calls[0][0]["opendp map"] = "2.0000001"
    monkeypatch.setattr(once.certificates, "all_described", lambda plan: calls)
    monkeypatch.setattr(
        once, "records_on_grid", lambda plan, data: pytest.fail("the records were read")
    )
    with pytest.raises(ValueError, match="promise must cover"):
        release(PLAN, DATA, folder)
    assert not folder.exists()


# ---------------------------------------------------------------- data that are not what the plan says


@pytest.mark.parametrize(("content", "words"), [
    (text(n=59), "the file has 59 records, and 60 in the plan"),
    (text().replace("score", "points"), "no column 'score'"),
    (text().replace("s000,", "s000,n/a,", 1), "rows that cannot be read"),
    (text().replace("\n", "\n\n", 1) + "s000,,5\n", "a release leaves none out"),
    ("", "empty"),
])  # fmt: skip
def test_other_data_are_refused_before_anything_is_spent(folder, content, words):
    with pytest.raises(ValueError, match=words):
        release(PLAN, read_table(content.encode()), folder)
    assert not folder.exists()


@pytest.mark.parametrize(("rows", "records"), [(1, 1), (2, 1), (3, 3), (4, 3)])
def test_persons_are_counted_before_anything_is_drawn(folder, draws, rows, records):
    """Each person has so many rows in the file, and is protected with so many records by the plan."""
    columns = COLUMNS.model_copy(update={"group_column": "", "person_column": "school"})
    plan, data = planned(records=records, columns=columns), table(areas=N // rows)
    if rows <= records:
        assert not release(plan, data, folder).earlier
        return
    with pytest.raises(ValueError, match=f"one person has {rows} rows by the column 'school'"):
        release(plan, data, folder)
    assert not folder.exists() and draws == []


def test_a_person_s_rows_in_several_areas_are_counted_together(folder):
    columns = COLUMNS.model_copy(update={"person_column": "who"})
    plan = planned(columns=columns, areas={"a": 3, "b": 3}, records=1)
    rows = ["a,1,50,p1", "a,2,60,p2", "a,3,70,p3", "b,1,50,p4", "b,2,60,p5", "b,3,70,p1"]
    with pytest.raises(ValueError, match="one person has 2 rows"):
        release(plan, read_table("\n".join(["school,hours,score,who", *rows]).encode()), folder)
    with pytest.raises(ValueError, match="no column 'who'"):
        release(
            plan,
            read_table("\n".join(["school,hours,score", *(row[:-3] for row in rows)]).encode()),
            folder,
        )
    assert not folder.exists()


def test_areas_must_be_those_of_the_plan(folder):
    moved = text(n=4 * AREAS, areas=AREAS).replace("s000,", "s001,", 1)
    for data, words in (
        (table(n=4 * AREAS - 1, areas=AREAS), "area 's007' has 3 records, and 4 in the plan"),
        (table(n=4 * AREAS + 4, areas=AREAS + 1), "area 's008' has 4 records, and 0 in the plan"),
        (read_table(moved.encode()), "area 's000' has 3 records, and 4 in the plan"),
    ):
        with pytest.raises(ValueError, match=words):
            release(TABLE[0], data, folder)


def test_every_data_set_is_released_a_constant_one_too(folder):
    """What the records are decides nothing: not whether x varies, not whether a value is beyond its bounds."""
    header = "school,hours,score"
    for number, rows in enumerate((["a,4,50"] * N, ["a,-1000,9e99"] * N)):
        held = release(
            PLAN, read_table("\n".join([header, *rows]).encode()), folder.with_name(str(number))
        )
        assert held.content["results"][0]["predictions"]


def test_a_table_of_areas_costs_one_promise_and_pools(folder, draws):
    names = [f"s{i:03}" for i in range(12)]
    held = release(planned(areas=dict.fromkeys(names, 5)), table(areas=12), folder).content
    assert spent(folder) == 2 and len(draws) == 12
    assert [row["area"] for row in held["results"]] == names
    assert held["pooled"]["rows"][0]["released"] == pytest.approx(
        held["results"][0]["predictions"][0]["prediction"]
    )
    assert len(held["guarantee"]["draws"]) == 1


# ---------------------------------------------------------------- the end of a process, anywhere


# Every fourth step, the others among the slow tests.
FROM = pytest.mark.parametrize(
    "first", [1, *(pytest.param(step, marks=pytest.mark.slow) for step in (2, 3, 4))]
)
ENDED = pytest.mark.parametrize(("plan", "data", "draws"), [(PLAN, DATA, 1), (*TABLE, AREAS)])


def releasing(folder, plan, data):
    def run(say):
        original = Program.draw

        def reported_draw(self, x, y):
            say("draw")
            return original(self, x, y)

        Program.draw = reported_draw
        held = release(plan, data, folder, pure("4"))
        say(f"certificate {logs.sha256(held.text.encode()).hexdigest()}")

    return run


def killed_at_steps(tmp_path, plan, data, first):
    """Runs that were killed at every fourth step: the folder of each, and what was said."""
    steps = int(forked(releasing(tmp_path / FOLDER, plan, data)).said.split()[-1])
    assert steps > 20
    for step in range(first, steps + 1, 4):
        place = tmp_path / f"{step}"
        killed = forked(releasing(place, plan, data), step)
        assert killed.signal == signal.SIGKILL
        yield place, killed.said


@FROM
@ENDED
def test_a_kill_anywhere_is_counted_and_nothing_is_released_twice(
    tmp_path, plan, data, draws, first
):
    plan.program(next(iter(plan.sizes))).calls  # noqa: B018  what every child needs is made once
    for place, said in killed_at_steps(tmp_path, plan, data, first):
        before = sorted(place.glob("*-certificate.json"))
        counted = spent(place) if place.exists() else 0
        assert counted == 2 if "draw" in said else counted in (0, 2)
        again = forked(releasing(place, plan, data))
        assert again.code == 0, again.said
        # A certificate that was written is given back, not drawn again.
        assert again.said.count("draw") == (0 if before else draws)
        assert not before or sorted(place.glob("*-certificate.json")) == before
        verify(max(place.glob("*-certificate.json")), place)
        digest = logs.sha256(release(plan, data, place).text.encode()).hexdigest()
        assert f"certificate {digest}" in again.said and spent(place) == counted + 2 * (not before)


def test_two_at_once_release_once(tmp_path):
    running = [begun(releasing(tmp_path / FOLDER, PLAN, DATA)) for _ in range(3)]
    said = [ended(process) for process in running]
    assert [process.code for process in said] == [0, 0, 0]
    assert (
        sum(process.said.count("draw") for process in said) == 1 and spent(tmp_path / FOLDER) == 2
    )
    assert len({process.said.split("certificate ")[1].split()[0] for process in said}) == 1


def ended_at(folder, monkeypatch, last):
    """A run that ends at a step."""

    class Ended(Exception):
        pass

    def end(step):
        if step == last:
            raise Ended

    with monkeypatch.context() as patched:
        patched.setattr(logs, "reached", end)
        with pytest.raises(Ended):
            release(*TABLE, folder)


def test_a_table_that_was_drawn_and_not_written_counts_and_is_drawn_again_at_a_new_cost(
    folder, monkeypatch, draws
):
    ended_at(folder, monkeypatch, "drawn")
    for _ in range(2):
        with pytest.raises(OverBudget, match=r"an earlier run .* counts as spent"):
            release(*TABLE, folder)
    assert len(draws) == AREAS and spent(folder) == 2
    with logs.opened(folder) as log:
        log.set_budget(pure("4"), "A. Person", "decided")
    assert "counts as spent" in release(*TABLE, folder).notes[0]
    assert len(draws) == 2 * AREAS and spent(folder) == 4


def test_a_certificate_that_was_written_and_not_logged_is_given_back(folder, monkeypatch, draws):
    ended_at(folder, monkeypatch, "certificate: written")
    assert release(*TABLE, folder).path.exists() and len(draws) == AREAS and spent(folder) == 2


def test_a_file_in_a_certificate_s_place_is_not_replaced(folder, monkeypatch):
    def and_a_file(step):
        if step == "drawn":
            (folder / "000002-certificate.json").write_text("somebody's")

    monkeypatch.setattr(logs, "reached", and_a_file)
    with pytest.raises(LogRefused, match="never replaced"):
        release(PLAN, DATA, folder)
    assert (folder / "000002-certificate.json").read_text() == "somebody's" and spent(folder) == 2


@pytest.mark.parametrize("change", ["gone", "changed", "of another", "forged"])
def test_a_certificate_that_is_gone_or_changed_is_not_drawn_again(folder, draws, change):
    made = release(PLAN, DATA, folder, pure("6"))
    other = release(named("another"), table(seed=1), folder)
    forged = made.content
    forged["software"]["python"] = "2.7"
    texts = {
        "changed": made.text.replace("hours", "HOURS"),
        "of another": other.text,
        "forged": sealed(forged),
    }
    if change == "gone":
        made.path.unlink()
    else:
        made.path.write_text(texts[change])
    with pytest.raises(LogRefused, match="It is not drawn again"):
        release(PLAN, DATA, folder)
    assert len(draws) == 2


def test_a_full_disk_at_the_certificate_leaves_the_budget_spent_and_says_why(
    folder, monkeypatch, draws
):
    original = logs.write_durably

    def full(content, path):
        if path.name.endswith("certificate.json"):
            raise logs.unwritable(path, OSError(28, "No space left on device"))
        original(content, path)

    with monkeypatch.context() as patched:
        patched.setattr(logs, "write_durably", full)
        with pytest.raises(Unwritable, match="the disk is full; free some space"):
            release(PLAN, DATA, folder)
    assert spent(folder) == 2
    with pytest.raises(OverBudget, match=r"an earlier run .* did not finish"):
        release(PLAN, DATA, folder)
    assert len(draws) == 1

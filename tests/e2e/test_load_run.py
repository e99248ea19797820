"""A small class at work: each session gets the numbers of its own data, and none an error."""

from benchmarks.load.expected import core_answer, same
from benchmarks.load.sessions import a_class


def test_every_session_sees_its_own_numbers_and_no_error(server):
    steps = a_class(server, ["compare", "data"], sessions=3, seconds=3)
    assert [step for step in steps if step.faults] == []
    assert {(step.page, step.seed) for step in steps} == {
        ("compare", 1),
        ("data", 2),
        ("compare", 3),
    }
    assert {step.seed for step in steps if not step.first} == {1, 2, 3}, (
        "each session goes on after its first step"
    )
    last = {step.seed: step for step in steps if step.answer}
    for step in last.values():
        assert same(step.answer, core_answer(step.seed, step.epsilon))
    assert not same(last[1].answer, core_answer(3, last[1].epsilon)), (
        "another seed has other numbers"
    )

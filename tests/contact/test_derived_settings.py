"""What a method derives is printed on stderr, the first lines only, unless one asks for quiet."""

import pytest

from dovetail.contact.derived_settings import MAX_REPORTED, report_derived


@pytest.mark.parametrize("count", [0, 1, MAX_REPORTED, MAX_REPORTED + 1, 100])
def test_as_many_lines_are_printed_as_there_may_be(capsys, monkeypatch, count):
    monkeypatch.delenv("DOVETAIL_QUIET", raising=False)
    report_derived(f"k = {number}" for number in range(count))
    lines = capsys.readouterr().err.splitlines()
    expected = [f"dovetail: contact k = {number}" for number in range(min(count, MAX_REPORTED))]
    if count > MAX_REPORTED:
        expected.append("dovetail: and so on for more pairs")
    assert lines == expected


def test_quiet_derives_nothing(capsys, monkeypatch):
    monkeypatch.setenv("DOVETAIL_QUIET", "1")
    sentences = iter(["k = 1"])
    report_derived(sentences)
    assert capsys.readouterr().err == ""
    assert next(sentences) == "k = 1"

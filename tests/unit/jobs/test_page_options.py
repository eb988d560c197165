"""What a job records of itself, so that the results of two jobs are not mixed."""

from __future__ import annotations

from rove.jobs.worker import PageOptions


def test_two_scripts_of_one_name_are_two_jobs() -> None:
    one, other = PageOptions("prices.py").recorded, PageOptions("other/prices.py").recorded
    assert one["do"] == other["do"] == "prices.py"
    assert one != other
    assert PageOptions("./prices.py").recorded == one


def test_a_picture_of_the_whole_page_is_another_result() -> None:
    assert PageOptions("screenshot", full_page=True).recorded == {"do": "screenshot", "full_page": True}
    assert PageOptions("screenshot").recorded == {"do": "screenshot"}

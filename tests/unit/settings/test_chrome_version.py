"""The settings for the version of Chrome and for a download mirror."""

from __future__ import annotations

import pytest

from rove.errors import InvalidSettings
from rove.settings.chrome_version import PINNED, checked_mirror, checked_version
from rove.settings.tree import load


@pytest.mark.parametrize("given", [PINNED, "1.2.3.4", "stable", " Beta "])
def test_a_full_version_number_or_a_channel_is_accepted(given: str) -> None:
    assert checked_version(given) == given.strip().lower()


@pytest.mark.parametrize("given", ["", "158", "158.0.1", "../../../etc", "1.2.3.4/..", "1.2.3.x", "newest", "1.2.3.４"])
def test_an_invalid_version_is_refused(given: str) -> None:
    with pytest.raises(ValueError):
        checked_version(given)


@pytest.mark.parametrize("given", ["https://mirror.example/chrome/", "http://10.0.0.1:8081"])
def test_the_slash_at_the_end_of_a_mirror_is_removed(given: str) -> None:
    assert checked_mirror(given) == given.rstrip("/")


@pytest.mark.parametrize("given", ["", "mirror.example", "file:///tmp", "https://", "https://a:b@c", "https://a/?b"])
def test_a_mirror_that_is_not_an_http_address_is_refused(given: str) -> None:
    with pytest.raises(InvalidSettings):
        load(browser_mirror=given)

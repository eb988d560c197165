"""What sessions say of their guard, and what is refused because of it."""

from __future__ import annotations

import pytest

from rove.browser.shared import socket_filter
from rove.engine.guard_notice import WITH_EXTENSIONS, check_guard_of_extensions, guard_notice_of
from rove.errors import InvalidSettings
from rove.settings.tree import Settings

SETTINGS = Settings(engine="chromium", profile="work", extension=("/extensions/notes",))
ACCEPTED = Settings(engine="chromium", profile="work", extension=("/extensions/notes",), unguarded_extensions=True)


@pytest.fixture
def _without_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket_filter, "is_supported", lambda: False)


@pytest.mark.skipif(not socket_filter.is_supported(), reason="this system has no filter for sockets")
@pytest.mark.parametrize("settings", [SETTINGS, ACCEPTED])
def test_sessions_with_extensions_are_guarded_where_udp_can_be_refused(settings: Settings) -> None:
    check_guard_of_extensions(settings)
    assert guard_notice_of(settings) is None


@pytest.mark.usefixtures("_without_filter")
def test_elsewhere_extensions_are_refused_unless_the_owner_accepts_that_they_are_guarded_in_part() -> None:
    with pytest.raises(InvalidSettings, match="WebRTC"):
        check_guard_of_extensions(SETTINGS)
    check_guard_of_extensions(ACCEPTED)
    assert guard_notice_of(ACCEPTED) is WITH_EXTENSIONS
    assert guard_notice_of(ACCEPTED, is_default=False) is None
    assert guard_notice_of(ACCEPTED, is_default=False, has_extensions=True) is WITH_EXTENSIONS

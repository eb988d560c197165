"""Which stages of its loading a document has reached."""

from __future__ import annotations

from rove.browser.shared.loading import LoadState


def loading() -> LoadState:
    state = LoadState("about:blank")
    state.begin_document("one")
    state.commit_document("http://127.0.0.1/", "one", "text/html")
    state.reach("DOMContentLoaded", "one")
    state.note_body_complete("one")
    return state


def test_a_document_that_has_loaded_still_waits_for_an_idle_network() -> None:
    state = loading()
    state.reach("load", "one")
    state.note_loading_stopped()
    assert state.has_reached("load") and not state.has_reached("networkIdle")
    state.reach("networkIdle", "one")
    assert state.has_reached("networkIdle")


def test_a_document_that_stops_loading_without_a_load_event_has_reached_every_stage() -> None:
    state = loading()
    state.note_loading_stopped()
    assert state.has_reached("load") and state.has_reached("networkIdle")

"""Tests of what WebKit over classic WebDriver does not have, or does otherwise, each with the reason.

By path, or by the name of a test; `pytest --engine webkit` skips them. docs/webkit.md says the same to users.
"""

from __future__ import annotations

NO_EVENTS = "WebDriver reports no console, no requests and no workers; rove's script sees only what comes after it"
NO_COMMAND = "WebDriver has no command for it"
NO_STATUS = "WebDriver does not tell the HTTP status of a document"
NO_ISOLATION = "there is no isolated world: a page that replaces its built-ins changes what rove reads"
NO_CLOSED_ROOTS = "WebDriver opens no closed shadow roots"
NO_LISTENERS = "WebDriver does not tell which elements have listeners"
LATE_SCRIPT = "rove's script is installed after the page's own scripts have run"
NO_HTML_DRAG = "WebDriver's actions start no drag of HTML in WebKitGTK"
NO_UNDO = "WebKit undoes editing commands of scripts in another way"
CHROMIUM_ONLY = "it is about Chromium's own process, protocol or user agent"
NO_TERMINATION = "WebDriver cannot end a script of a page"
UNTOLD = "a dialog keeps rove's script from telling what was done before it"
ONE_PROCESS = "WebKitGTK runs frames of other origins in the process of the page, which a busy one blocks"
GTK_KEYS = "WebKitGTK has no such shortcut"

FILES = {
    "tests/browser/attachment/": CHROMIUM_ONLY,
    "tests/browser/stealth/": CHROMIUM_ONLY,
    "tests/browser/driving/": "WebDriver does not pass the input of a person on, and shows no page live",
    "tests/browser/test_browser_worker.py": CHROMIUM_ONLY,
    "tests/browser/test_console.py": NO_EVENTS,
    "tests/browser/test_deadlines.py": NO_TERMINATION,
    "tests/browser/test_devices.py": NO_COMMAND,
    "tests/browser/test_early_launch.py": CHROMIUM_ONLY,
    "tests/browser/test_emulation.py": NO_COMMAND,
    "tests/browser/test_floods.py": CHROMIUM_ONLY,
    "tests/browser/test_interception.py": NO_COMMAND,
    "tests/browser/test_live_view.py": NO_COMMAND,
    "tests/browser/test_network.py": NO_EVENTS,
    "tests/browser/test_network_details.py": NO_EVENTS,
    "tests/browser/test_pdf.py": NO_COMMAND,
    "tests/browser/test_silent_start.py": CHROMIUM_ONLY,
    "tests/browser/test_states.py": "WebDriver sets cookies and storage only of the page that is open",
    "tests/browser/test_throttling.py": NO_COMMAND,
    "tests/browser/test_workers.py": NO_EVENTS,
    "tests/browser/snapshot/test_delegation.py": NO_LISTENERS,
    "tests/browser/snapshot/test_listeners.py": NO_LISTENERS,
}

TESTS = {
    "test_a_button_is_clicked_in_a_frame_that_is_padded_scaled_or_zoomed[zoom: 0.6]": "WebKit tells no CSS zoom",
    "test_a_drag_that_holds_over_a_target_keeps_firing_dragover": NO_HTML_DRAG,
    "test_a_frame_that_does_not_answer_is_marked_and_the_rest_is_shown": ONE_PROCESS,
    "test_a_held_click_that_times_out_releases_the_button": "WebDriver answers only when the whole click is over",
    "test_a_late_change_is_in_the_answer_to_the_click[an idle callback]": "WebKit has no idle callbacks",
    "test_a_page_cannot_notice_that_element_internals_are_read": NO_ISOLATION,
    "test_a_page_that_polls_does_not_delay_an_action": NO_EVENTS,
    "test_a_page_that_redefines_its_builtins_cannot_change_the_snapshot": NO_ISOLATION,
    "test_a_page_that_redefines_its_builtins_does_not_change_what_is_read": NO_ISOLATION,
    "test_a_paste_can_be_undone": NO_UNDO,
    "test_a_port_that_browsers_refuse_is_not_said_to_be_slow": "WebDriver does not tell why a document was not loaded",
    "test_a_press_waits_for_the_listener_of_an_element_that_has_just_appeared[button]": NO_LISTENERS,
    "test_a_press_waits_for_the_listener_of_an_element_that_has_just_appeared[div]": NO_LISTENERS,
    "test_a_session_with_a_window_runs_beside_one_without": CHROMIUM_ONLY,
    "test_a_stuck_frame_is_waited_for_only_once": ONE_PROCESS,
    "test_a_text_of_many_lines_can_be_undone": NO_UNDO,
    "test_a_download_whose_name_is_a_path_is_saved_inside_the_folder[..]": "WebKitGTK saves no file of that name",
    "test_a_download_whose_name_is_a_path_is_saved_inside_the_folder[name6]": "WebKitGTK saves no file of that name",
    "test_acting_as_a_user_does_gives_the_page_a_user_activation": "a script over WebDriver gives no user activation",
    "test_an_act_that_opens_a_dialog_was_done": UNTOLD,
    "test_an_act_that_a_dialog_interrupts_must_not_be_repeated_unseen": UNTOLD,
    "test_an_act_waits_longer_while_a_request_is_under_way": NO_EVENTS,
    "test_an_error_that_a_click_leads_to_is_told": NO_STATUS,
    "test_a_window_that_closes_itself_while_the_tabs_are_listed_is_left_out": (
        "WebDriver tells that a window has closed only when it is asked"
    ),
    "test_back_moves_between_fragments_of_a_page": "WebKit goes back past entries that no user has caused",
    "test_cookies_are_set_and_deleted": "WebKit accepts a cookie that Chromium refuses",
    "test_cut_removes_the_text[Control+Insert-green tea]": GTK_KEYS,
    "test_cut_removes_the_text[Shift+Delete-]": GTK_KEYS,
    "test_copy_and_paste_handlers_of_a_page_are_called": LATE_SCRIPT,
    "test_drag_and_drop_transfers_its_data": NO_HTML_DRAG,
    "test_drag_reaches_a_target_below_the_fold": NO_HTML_DRAG,
    "test_elements_in_a_closed_shadow_root_of_an_ordinary_element_are_shown": NO_CLOSED_ROOTS,
    "test_elements_in_a_closed_shadow_root_with_named_slots_are_shown": NO_CLOSED_ROOTS,
    "test_elements_in_a_shadow_root_are_shown_and_used[closed]": NO_CLOSED_ROOTS,
    "test_elements_in_nested_closed_shadow_roots_are_shown": NO_CLOSED_ROOTS,
    "test_fill_is_seen_by_the_page_as_typing_is": "Tab leaves a page with one field for WebKit's own window",
    "test_middle_click_fires_auxclick": "WebKitGTK fires no auxclick for WebDriver's middle button",
    "test_navigate_follows_redirects": NO_STATUS,
    "test_navigate_returns_the_final_url_and_the_page": NO_STATUS,
    "test_navigate_returns_the_status_of_a_missing_page": NO_STATUS,
    "test_press_sends_the_key_that_it_names": "WebDriver presses Shift as a key of its own",
    "test_readable_text_is_what_a_person_sees": NO_CLOSED_ROOTS,
    "test_reload_asks_the_server_again": NO_STATUS,
    "test_right_click_opens_the_context_menu": "WebKitGTK fires a click for WebDriver's right button too",
    "test_role_and_state_that_a_custom_element_sets_through_its_internals_are_shown": LATE_SCRIPT,
    "test_text_of_open_and_closed_shadow_trees_is_extracted": NO_CLOSED_ROOTS,
    "test_text_that_the_agent_put_on_the_clipboard_is_pasted[Shift+Insert-#b-b.value-one two]": GTK_KEYS,
    "test_text_that_the_agent_put_on_the_clipboard_is_pasted[Shift+Insert-#c-c.value-one\\ntwo]": GTK_KEYS,
    "test_text_that_the_agent_put_on_the_clipboard_is_pasted[Shift+Insert-#d-d.innerText-richone\\ntwo]": GTK_KEYS,
}


# Of these files, the tests whose names contain a word.
PARTS = {("tests/browser/test_sorting.py", word): NO_HTML_DRAG for word in ("half", "deaf", "slide")}


def reason_for(path: str, name: str) -> str | None:
    """Return why a test does not hold on WebKit; None if it does."""
    of_part = next((why for (file, word), why in PARTS.items() if file == path and word in name), None)
    return TESTS.get(name) or of_part or next((why for part, why in FILES.items() if path.startswith(part)), None)

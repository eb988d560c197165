"""Tests of what WebKit over classic WebDriver does not have, or does otherwise, each with the reason.

By path, or by the name of a test, with its parameters or without; `pytest --engine webkit` skips them. docs/webkit.md
says the same to users.
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
NO_HOLD = "WebDriver cannot hold a page to what a person approves, so that no person is asked and it is refused"
NO_SECRETS = "rove types no secrets over WebDriver, as a page could read them on the way"
LATE_GUARD = "what guards password fields is a script in the page, which the page's own come before"
RUNS_OF_KEYS = "WebDriver types many characters with one command, which nothing stops in between"
NO_SCRIPTS = "WebDriver runs no scripts in frames that are sandboxed without them, so that they are not read"
NO_VIEWER_FILE = "WebKitGTK shows a PDF in a viewer of its own, and WebDriver does not give the file"
NO_SCREENCAST = "WebDriver sends no pictures of a page as it changes"
BLOCKED_WINDOWS = "WebKitWebDriver does not reach a dialog of a window that is not the current one"
CUT_PAGES = "WebDriver does not tell that a document ended before its time"
NO_STATES = "WebDriver sets cookies and storage only of the page that is open"
WHICH_FRAME = "WebDriver does not tell which frame has caused a download"

FILES = {
    "tests/browser/attachment/": CHROMIUM_ONLY,
    "tests/browser/audits/test_accessibility.py": "audits are refused, as a page could change what they find",
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
    "tests/browser/test_states.py": NO_STATES,
    "tests/browser/test_throttling.py": NO_COMMAND,
    "tests/browser/test_workers.py": NO_EVENTS,
    "tests/browser/test_har.py": NO_EVENTS,
    "tests/browser/test_video.py": NO_SCREENCAST,
    "tests/security/test_approval_binds_what_it_showed.py": NO_HOLD,
    "tests/security/test_secret_fields_are_whole_or_empty.py": NO_SECRETS,
    "tests/security/test_secret_fields_of_the_page.py": NO_SECRETS,
    "tests/security/test_secret_oracles.py": NO_SECRETS,
    "tests/security/test_secrets_in_files.py": NO_SECRETS,
}

TESTS = {
    # Snapshots
    "test_an_element_with_a_click_listener_is_in_the_first_snapshot": NO_LISTENERS,
    "test_an_element_with_another_listener_is_shown_as_text": NO_LISTENERS,
    "test_elements_whose_handlers_are_known_are_the_controls[jQuery on the document]": NO_LISTENERS,
    "test_several_seen_elements_are_ambiguous": "WebKit says of the options of a list that they are not visible",
    "test_an_empty_box_with_a_listener_is_named_by_its_colour": NO_LISTENERS,
    "test_each_cell_of_a_board_with_a_listener_is_clickable": NO_LISTENERS,
    "test_elements_whose_handlers_are_known_are_the_controls[own listeners]": NO_LISTENERS,
    "test_every_element_of_a_long_page_that_listens_has_a_ref": NO_LISTENERS,
    "test_listeners_in_shadow_roots_are_found": NO_LISTENERS,
    "test_the_items_of_a_long_listening_list_have_refs": NO_LISTENERS,
    "test_a_page_that_redefines_built_ins_is_still_read": NO_ISOLATION,
    "test_g3_hidden_text_is_marked_or_left_out[until-found]": "WebKit shows no sign of text that is hidden until found",
    "test_g3_hidden_text_is_marked_or_left_out[placeholder]": "WebKit tells no style of placeholders",
    "test_g3_visible_text_is_not_marked[no-object]": "WebKit does not tell that an object shows what is in its place",
    # Audits
    "test_vitals_are_those_of_the_library_that_defines_them": "WebKit measures no largest contentful paint",
    # Approvals
    "test_a_change_before_the_answer_is_asked_about_again": NO_HOLD,
    "test_a_file_is_not_sent_before_a_person_approves": NO_HOLD,
    "test_a_script_is_asked_about_again_if_the_page_navigates_before_the_answer": NO_HOLD,
    "test_a_step_whose_element_has_changed_is_asked_about_separately": NO_HOLD,
    "test_an_action_in_a_frame_must_be_allowed_for_the_page_and_for_the_frame": NO_HOLD,
    "test_an_approval_after_the_deadline_is_a_denial": NO_HOLD,
    "test_an_approval_holds_for_one_click": NO_HOLD,
    "test_an_approval_holds_for_the_value_that_was_shown": NO_HOLD,
    "test_g6_a_point_is_asked_about_again_if_another_element_is_there": NO_HOLD,
    "test_g6_a_question_about_a_key_shows_the_focused_element": NO_HOLD,
    "test_the_person_sees_the_element_as_the_page_shows_it": NO_HOLD,
    # Secrets and password fields
    "test_a_page_that_takes_the_focus_does_not_get_the_secret": NO_SECRETS,
    "test_a_policy_can_ask_about_secrets_and_the_person_sees_the_name": NO_SECRETS,
    "test_a_secret_can_be_typed_in_a_shadow_root": NO_SECRETS,
    "test_a_secret_is_not_typed_at_another_origin": NO_SECRETS,
    "test_every_action_that_types_accepts_a_secret": NO_SECRETS,
    "test_files_that_a_view_refers_to_have_no_secret": NO_COMMAND,
    "test_filling_replaces_the_value_and_typing_appends": NO_SECRETS,
    "test_no_output_contains_the_value": NO_SECRETS,
    "test_the_error_for_an_unknown_secret_lists_the_known_names": NO_SECRETS,
    "test_the_origin_of_the_frame_decides": NO_SECRETS,
    "test_the_page_receives_the_events_of_typing": NO_SECRETS,
    "test_the_refusal_names_the_field_and_the_secrets_to_use": NO_SECRETS,
    "test_the_refusal_of_a_password_offers_the_secrets_of_that_origin": NO_SECRETS,
    "test_the_secrets_file_in_home_is_used": NO_SECRETS,
    "test_where_it_is_bound_it_is_pasted_whole_and_the_field_is_protected": NO_SECRETS,
    "test_a_question_does_not_show_a_secret_that_the_page_shows": NO_HOLD,
    "test_a_secret_goes_only_into_password_fields_unless_the_owner_allows_more": NO_SECRETS,
    "test_the_elements_and_values_in_a_question_are_redacted": NO_HOLD,
    "test_a_part_is_not_copied_at_all": GTK_KEYS,
    "test_a_password_field_in_the_closed_shadow_root_of_editable_text_is_refused": NO_CLOSED_ROOTS,
    "test_a_drop_that_the_page_handles_is_refused_on_a_password_field": NO_HTML_DRAG,
    "test_dropping_text_into_a_password_field_is_refused": NO_HTML_DRAG,
    "test_a_field_that_becomes_a_password_field_on_input_is_refused": LATE_GUARD,
    "test_a_password_that_the_page_reveals_on_load_is_protected": LATE_GUARD,
    "test_the_next_page_is_guarded_from_its_start": RUNS_OF_KEYS,
    "test_typing_stops_when_the_focus_moves_into_a_frame": RUNS_OF_KEYS,
    "test_a_password_field_in_a_frame_without_scripts_is_refused": NO_SCRIPTS,
    "test_a_password_field_in_a_shadow_root_is_refused[closed]": NO_CLOSED_ROOTS,
    "test_a_password_field_in_nested_closed_shadow_roots_is_refused": NO_CLOSED_ROOTS,
    "test_a_person_at_the_window_is_not_restricted": "WebDriver does not pass the input of a person on",
    # Origins, and what may be read
    "test_a_sandboxed_frame_has_the_origin_of_its_server": NO_SCRIPTS,
    "test_entries_of_the_browser_have_the_origin_of_the_document_that_they_are_about": NO_EVENTS,
    "test_what_actions_tell_has_the_origin_of_the_page_or_of_the_frame[f]": WHICH_FRAME,
    "test_a_frame_that_may_not_be_read_stays_unread_in_a_page_that_may": WHICH_FRAME,
    "test_what_is_told_of_saved_states_is_in_roves_own_words": NO_STATES,
    "test_a_page_or_frame_that_may_not_be_read_is_not_recorded": NO_SCREENCAST,
    "test_nothing_is_recorded_while_a_person_drives": NO_SCREENCAST,
    # The network
    "test_a_connection_that_the_proxy_resets_is_not_blamed_on_the_server": "WebDriver does not tell how a load failed",
    "test_a_link_to_an_invalid_address_leads_to_no_page": "WebDriver does not tell that a link led to no page",
    "test_a_redirect_to_a_forbidden_host_is_refused_and_cannot_be_read[https]": (
        "WebDriver does not tell where a redirect led that showed no document"
    ),
    "test_a_browser_that_lost_its_network_process_fails_no_navigation_and_tells_it_otherwise": CHROMIUM_ONLY,
    "test_a_page_that_is_cut_after_the_call_that_loads_it_is_told_as_cut_by_the_next": CUT_PAGES,
    "test_a_page_that_was_cut_by_the_death_of_the_proxy_is_told_as_cut": CHROMIUM_ONLY,
    "test_the_same_requests_reach_an_allowed_server": "tests/webkit/test_egress.py has the same for WebKit",
    "test_cookies_and_validators_beyond_ascii_are_sent_as_they_came": "WebKit drops cookies with such characters",
    "test_cookies_go_both_ways": NO_STATES,
    "test_g1_the_proxy_refuses_what_resolves_to_this_machine_and_no_cookie_reaches_another_host": NO_STATES,
    "test_e4_a_check_for_robots_is_passed_by_the_browser_and_its_cookie_used_from_then_on": NO_STATUS,
    "test_e4_a_check_that_stays_is_an_error_and_never_the_text": NO_STATUS,
    "test_e4_a_file_that_only_browsers_get_is_read": NO_VIEWER_FILE,
    "test_e4_an_article_is_read_over_http_and_no_page_is_opened": CHROMIUM_ONLY,
    "test_e4_an_error_says_that_the_browser_was_tried": NO_STATUS,
    "test_pictures_and_pdf_files": NO_COMMAND,
    "test_a_page_that_is_read_leaves_no_tab_popup_or_dialog": BLOCKED_WINDOWS,
    "test_an_error_page_is_no_part_of_an_article": NO_STATUS,
    "test_a_navigation_to_a_pdf_answers_with_its_text": NO_VIEWER_FILE,
    "test_a_navigation_to_a_pdf_that_cannot_be_read_fails": NO_VIEWER_FILE,
    "test_a_pdf_is_read_from_the_page_that_its_address_names": NO_VIEWER_FILE,
    "test_of_a_long_pdf_the_beginning_is_told_and_how_to_go_on": NO_VIEWER_FILE,
    "test_vitals_are_measured_and_tell_their_elements": "WebKit measures no largest contentful paint",
    "test_the_message_for_a_script_that_throws": "WebKit words the errors of scripts in another way",
    # Pages and input
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
    named = TESTS.get(name) or TESTS.get(name.partition("[")[0])
    return named or of_part or next((why for part, why in FILES.items() if path.startswith(part)), None)

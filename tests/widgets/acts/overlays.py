"""Acts on dialogs, drawers, accordions, tabs, menus, tooltips and toasts of libraries without a framework."""

from __future__ import annotations

from tests.widgets.act import Act, Library, click, fill, hidden, hover, press, shown, text_of, type_, value_of, widget

BOOTSTRAP = Library(
    "bootstrap",
    (
        widget(
            "modal",
            Act(
                "opens",
                click('button "Edit profile"'),
                shown("#profile.show"),
                appears=("Your profile", "Display name"),
            ),
            Act("closes by Escape", press("Escape"), hidden("#profile"), goes=("Display name",)),
            Act("opens again", click('button "Edit profile"'), shown("#profile.show"), appears=("Your profile",)),
            Act("closes by Cancel", click('button "Cancel"'), hidden("#profile"), goes=("Display name",)),
        ),
        widget(
            "offcanvas",
            Act(
                "slides in",
                click('button "Filters"'),
                shown("#filters.show"),
                appears=("Filter the list", "Only unread"),
            ),
            Act("slides out", click('button "Close filters"'), hidden("#filters"), goes=("Only unread",)),
        ),
        widget(
            "dropdown",
            Act("opens", click('button "Actions"'), shown("#archive"), appears=("Rename", "Archive")),
            Act("runs an item", click('button "Archive"'), "archive.dataset.done === 'yes'", goes=("Rename",)),
        ),
        widget(
            "accordion",
            Act("expands", click('button "How do I pay?"'), shown("#a1.show"), appears=("By card or by invoice",)),
            Act(
                "expands another",
                click('button "How do I cancel?"'),
                f"{shown('#a2.show')} && {hidden('#a1')}",
                appears=("Write to us a week before",),
                goes=("By card or by invoice",),
            ),
            Act("collapses", click('button "How do I cancel?"'), hidden("#a2"), goes=("Write to us",)),
        ),
        widget(
            "tabs",
            Act(
                "switch",
                click('tab "Billing"'),
                f"{shown('#t2')} && {hidden('#t1')}",
                appears=("Next invoice on the first.",),
                goes=("Member since spring.",),
            ),
        ),
        widget(
            "toast",
            Act(
                "appears",
                click('button "Save draft"'),
                shown("#toast"),
                appears=("Draft saved", "You can go on later."),
            ),
            Act("is dismissed", click('button "Dismiss"'), hidden("#toast"), goes=("You can go on later.",)),
        ),
        widget(
            "tooltip",
            Act("appears on hover", hover('button "Why?"'), shown(".tooltip"), appears=("Saved on this machine only",)),
            Act("goes when the pointer leaves", hover('heading "Account"'), hidden(".tooltip"), goes=("Saved on",)),
        ),
    ),
)

SWEETALERT2 = Library(
    "sweetalert2",
    (
        widget(
            "confirmation",
            Act("opens", click('button "Delete report"'), shown(".swal2-popup"), appears=("It cannot be restored.",)),
            Act("closes by Cancel", click('button "Cancel"'), hidden(".swal2-popup"), goes=("It cannot be restored.",)),
            Act("opens again", click('button "Delete report"'), shown(".swal2-popup"), appears=("Delete the report?",)),
            Act("closes by Escape", press("Escape"), hidden(".swal2-popup"), goes=("It cannot be restored.",)),
            Act("opens a third time", click('button "Delete report"'), shown(".swal2-popup"), appears=("restored.",)),
            Act(
                "confirmed opens the next",
                click('button "Yes, delete it"'),
                "document.querySelectorAll('#files li').length === 1",
                appears=("The report is gone.",),
                goes=("It cannot be restored.",),
            ),
            Act("closes by OK", click('button "OK"'), hidden(".swal2-popup"), goes=("The report is gone.",)),
        ),
        widget(
            "prompt",
            Act("opens", click('button "Rename photo"'), shown(".swal2-input"), appears=("Name of the photo",)),
            Act("refuses nothing", click('button "OK"'), shown(".swal2-input"), appears=("Please type a name",)),
            Act(
                "takes a name",
                fill(".swal2-input", "cat.jpg"),
                value_of(".swal2-input", "cat.jpg"),
                appears=("cat.jpg",),
            ),
            Act(
                "closes by OK",
                click('button "OK"'),
                text_of("#files li:last-child", "cat.jpg"),
                appears=("cat.jpg",),
                goes=("Name of the photo",),
            ),
        ),
        widget(
            "toast",
            Act("appears", click('button "Copy link"'), shown(".swal2-toast"), appears=("Link copied",)),
            Act("is closed", click(".swal2-close"), hidden(".swal2-toast"), goes=("Link copied",)),
        ),
    ),
)

MICROMODAL = Library(
    "micromodal",
    (
        widget(
            "modal",
            Act(
                "opens",
                click('button "Read the terms"'),
                shown("#terms"),
                appears=("We keep your address to ourselves.",),
            ),
            Act("closes by its button", click('button "Agree"'), hidden("#terms"), goes=("We keep your address",)),
            Act("opens again", click('button "Read the terms"'), shown("#terms"), appears=("We keep your address",)),
            Act("closes by Escape", press("Escape"), hidden("#terms"), goes=("We keep your address",)),
        ),
    ),
)

A11Y_DIALOG = Library(
    "a11y_dialog",
    (
        widget(
            "dialog",
            Act(
                "opens",
                click('button "End subscription"'),
                shown("#stop .body"),
                appears=("The rest of the month is refunded.",),
            ),
            Act("closes by Escape", press("Escape"), hidden("#stop .body"), goes=("The rest of the month",)),
            Act("opens again", click('button "End subscription"'), shown("#stop .body"), appears=("End it now?",)),
            Act("closes by its button", click('button "Keep it"'), hidden("#stop .body"), goes=("End it now?",)),
        ),
    ),
)

NOTYF = Library(
    "notyf",
    (
        widget(
            "toast",
            Act(
                "refuses an empty form",
                click('button "Send"'),
                shown(".notyf__toast"),
                appears=("Write something first",),
            ),
            Act("is dismissed", click(".notyf__dismiss-btn"), hidden(".notyf__toast"), goes=("Write something first",)),
            Act(
                "tells what was sent",
                type_("Hello\n", 'textbox "Message"'),
                shown(".notyf__toast"),
                appears=("Sent: Hello",),
            ),
        ),
    ),
)

TOASTIFY = Library(
    "toastify",
    (
        widget(
            "toast",
            Act("appears", click('button "Add song"'), shown(".toastify"), appears=("Song was added",)),
            Act("is closed", click(".toast-close"), hidden(".toastify"), goes=("Song was added",)),
            Act("appears for a while", click('button "Skip song"'), shown(".toastify"), appears=("Song was skipped",)),
        ),
    ),
)

TIPPY = Library(
    "tippy",
    (
        widget(
            "tooltip",
            Act("appears on hover", hover('button "Cut"'), shown(".tippy-box"), appears=("Removes what is selected",)),
            Act(
                "goes when the pointer leaves", hover('heading "Toolbar"'), hidden(".tippy-box"), goes=("Removes what",)
            ),
        ),
        widget(
            "popover",
            Act("opens", click('button "Share"'), shown(".tippy-box"), appears=("Copy address", "Send by mail")),
            Act(
                "closes by a click elsewhere", click('heading "Toolbar"'), hidden(".tippy-box"), goes=("Send by mail",)
            ),
        ),
        widget(
            "hover menu",
            Act("opens after half a second", hover('button "More"'), shown(".tippy-box"), appears=("Print page",)),
            Act(
                "closes after the pointer left", hover('heading "Toolbar"'), hidden(".tippy-box"), goes=("Print page",)
            ),
        ),
    ),
)

DRIVER = Library(
    "driver_tour",
    (
        widget(
            "tour",
            Act(
                "starts",
                click('button "Take the tour"'),
                shown(".driver-popover"),
                appears=("Go from page to page here.",),
            ),
            Act(
                "goes on",
                click(".driver-popover-next-btn"),
                shown(".driver-popover"),
                appears=("Updated every hour.",),
                goes=("Go from page",),
            ),
            Act(
                "goes back",
                click(".driver-popover-prev-btn"),
                shown(".driver-popover"),
                appears=("Go from page",),
                goes=("Updated every",),
            ),
            Act("closes by Escape", press("Escape"), hidden(".driver-popover"), goes=("Go from page",)),
        ),
    ),
)

SHEPHERD = Library(
    "shepherd",
    (
        widget(
            "tour",
            Act(
                "starts",
                click('button "Show me around"'),
                shown(".shepherd-element"),
                appears=("Begin a new message here.",),
            ),
            Act(
                "goes on",
                click('button "Next"'),
                shown(".shepherd-element"),
                appears=("Find old messages here.",),
                goes=("Begin a new",),
            ),
            Act(
                "goes back",
                click('button "Back"'),
                shown(".shepherd-element"),
                appears=("Begin a new",),
                goes=("Find old messages",),
            ),
            Act("is cancelled", click('button "Close Tour"'), hidden(".shepherd-element"), goes=("Begin a new",)),
        ),
    ),
)

INTRO = Library(
    "intro",
    (
        widget(
            "tour",
            Act("starts", click('button "First steps"'), shown(".introjs-tooltip"), appears=("Draw with these.",)),
            Act(
                "goes on",
                click(".introjs-nextbutton"),
                shown(".introjs-tooltip"),
                appears=("Stack drawings here.",),
                goes=("Draw with",),
            ),
            Act("is finished", click(".introjs-nextbutton"), hidden(".introjs-tooltip"), goes=("Stack drawings",)),
        ),
    ),
)

LIBRARIES = (BOOTSTRAP, SWEETALERT2, MICROMODAL, A11Y_DIALOG, NOTYF, TOASTIFY, TIPPY, DRIVER, SHEPHERD, INTRO)

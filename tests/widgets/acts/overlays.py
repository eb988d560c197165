"""Acts on dialogs, drawers, accordions, tabs, menus, tooltips and toasts of libraries without a framework."""

from __future__ import annotations

from tests.widgets.act import Act, Library, click, fill, hidden, hover, press, shown, text_of, value_of, widget

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

LIBRARIES = (BOOTSTRAP, SWEETALERT2)

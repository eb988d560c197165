"""Acts on single widgets for React: selects, pickers, a command palette, toasts, a sortable list."""

from __future__ import annotations

from tests.widgets.act import (
    Act,
    Library,
    click,
    drag,
    hidden,
    press,
    shown,
    text_of,
    type_,
    value_of,
    widget,
)

REACT_SELECT = Library(
    "react_select",
    (
        widget(
            "single",
            Act("opens", click('combobox "Colour"'), shown("[role=listbox]"), appears=("Ocean", "Yellow")),
            Act(
                "searches",
                type_("or", 'combobox "Colour"'),
                "document.querySelectorAll('[role=option]').length === 1",
                goes=("Ocean",),
            ),
            Act("takes an option", click('option "Orange"'), value_of("[name=colour]", "Orange"), appears=("Orange",)),
        ),
        widget(
            "multiple",
            Act("opens", click('combobox "Mix"'), shown("[role=listbox]"), appears=("Purple", "Red")),
            Act("takes an option", click('option "Red"'), value_of("[name=mix]", "Red"), appears=("Red",)),
            Act(
                "takes another",
                click('option "Purple"'),
                "document.querySelectorAll('[name=mix]').length === 2",
                appears=("Purple",),
            ),
            Act("closes by Escape", press("Escape"), hidden("[role=listbox]"), goes=("Yellow",)),
            Act("removes one", click('button "Remove Red"'), value_of("[name=mix]", "Purple"), goes=("Red",)),
        ),
        widget(
            "remote search",
            Act(
                "finds after a while", type_("H", 'combobox "Bird"'), shown("[role=option]"), appears=("Heron", "Hawk")
            ),
            Act(
                "takes an option",
                click('option "Hawk"'),
                value_of("[name=bird]", "Hawk"),
                appears=("Hawk",),
                goes=("Heron",),
            ),
        ),
        widget(
            "creatable",
            Act(
                "offers a new option",
                type_("Fan", 'combobox "Brush"'),
                shown("[role=option]"),
                appears=('Create \\"Fan\\"',),
            ),
            Act("creates it", press("Enter"), value_of("[name=brush]", "Fan"), appears=("Fan",)),
        ),
    ),
)

REACT_DATEPICKER = Library(
    "react_datepicker",
    (
        widget(
            "date",
            Act(
                "opens",
                click('textbox "Day"'),
                shown(".react-datepicker"),
                appears=("May 2031", "Choose Thursday, May 15th, 2031"),
            ),
            Act(
                "shows the next month",
                click('button "Next Month"'),
                shown(".react-datepicker"),
                appears=("June 2031",),
                goes=("May 2031",),
            ),
            Act(
                "takes a day",
                click('[aria-label="Choose Wednesday, June 18th, 2031"]'),
                value_of("input", "2031-06-18"),
                appears=("2031-06-18",),
                goes=("June 2031",),
            ),
        ),
        widget(
            "time",
            Act("opens", click('textbox "Time"'), shown(".react-datepicker"), appears=("10:30",)),
            Act(
                "takes a time",
                click('option "10:30"'),
                "document.querySelectorAll('input')[1].value === '10:30'",
                appears=("10:30",),
                goes=("11:00",),
            ),
        ),
    ),
)

DOWNSHIFT = Library(
    "downshift",
    (
        widget(
            "search",
            Act(
                "finds after a pause",
                type_("A", 'combobox "City"'),
                shown("[role=option]"),
                appears=("Accra", "Athens"),
            ),
            Act(
                "finds fewer",
                type_("m", 'combobox "City"'),
                "document.querySelectorAll('[role=option]').length === 1",
                goes=("Athens",),
            ),
            Act(
                "takes an option",
                click('option "Amman"'),
                text_of("#chosen", "Flying to Amman"),
                appears=("Flying to Amman",),
            ),
        ),
        widget(
            "select",
            Act("opens", click('combobox "Seat"'), shown("[role=option]"), appears=("Window", "Aisle")),
            Act(
                "takes an option",
                click('option "Aisle"'),
                text_of("#seat", "Aisle"),
                appears=("Aisle",),
                goes=("Window",),
            ),
        ),
    ),
)

CMDK = Library(
    "cmdk",
    (
        widget(
            "palette",
            Act("opens by its keys", press("Control+k"), shown("[cmdk-dialog]"), appears=("New folder", "Zoom in")),
            Act(
                "searches",
                type_("fol"),
                "document.querySelectorAll('[cmdk-item]').length === 1",
                appears=("New folder",),
                goes=("Zoom in",),
            ),
            Act(
                "finds nothing",
                type_("zzz"),
                shown("[cmdk-empty]"),
                appears=("No such command.",),
                goes=("New folder",),
            ),
            Act("closes by Escape", press("Escape"), hidden("[cmdk-dialog]"), goes=("No such command.",)),
            Act("opens by its button", click('button "Commands"'), shown("[cmdk-dialog]"), appears=("New file",)),
            Act(
                "runs a command",
                click('option "Zoom in"'),
                text_of("#done", "Ran zoom"),
                appears=("Ran zoom",),
                goes=("New file",),
            ),
        ),
    ),
)

SONNER = Library(
    "sonner",
    (
        widget(
            "toast",
            Act(
                "appears", click('button "Create event"'), shown("[data-sonner-toast]"), appears=("Event was created",)
            ),
            Act("is closed", click('button "Close toast"'), hidden("[data-sonner-toast]"), goes=("Event was created",)),
        ),
        widget(
            "undo",
            Act(
                "is offered",
                click('button "Delete event"'),
                shown("[data-sonner-toast]"),
                appears=("Event was deleted", "Undo"),
            ),
            Act(
                "is done",
                click('button "Undo"'),
                "/Event is back/.test(document.body.innerText)",
                appears=("Event is back",),
                goes=("Event was deleted",),
            ),
        ),
        widget(
            "promise",
            Act(
                "is told when it is kept",
                click('button "Upload"'),
                "/Upload finished/.test(document.body.innerText)",
                appears=("Upload finished",),
            ),
        ),
    ),
)

DND_KIT = Library(
    "dnd_kit",
    (
        widget(
            "list",
            Act(
                "is sorted by the pointer",
                drag('button "Plan trip"', 'button "Pack bags"'),
                text_of("#order", "Buy tickets, Pack bags, Plan trip"),
                appears=("Buy tickets, Pack bags, Plan trip",),
            ),
        ),
    ),
)

LIBRARIES = (REACT_SELECT, REACT_DATEPICKER, DOWNSHIFT, CMDK, SONNER, DND_KIT)

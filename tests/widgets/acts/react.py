"""Acts on libraries for React."""

from __future__ import annotations

from tests.widgets.act import (
    Act,
    Library,
    check,
    click,
    drag,
    hidden,
    hover,
    press,
    shown,
    text_of,
    type_,
    value_of,
    widget,
)

MUI = Library(
    "mui",
    (
        widget(
            "dialog",
            Act(
                "opens",
                click('button "Leave team"'),
                shown("[role=dialog]"),
                appears=("You lose access to its files.",),
            ),
            Act("closes by Escape", press("Escape"), hidden("[role=dialog]"), goes=("You lose access",)),
            Act("opens again", click('button "Leave team"'), shown("[role=dialog]"), appears=("Leave this team?",)),
            Act("closes by its button", click('button "Stay"'), hidden("[role=dialog]"), goes=("You lose access",)),
        ),
        widget(
            "menu",
            Act("opens", click('button "Profile menu"'), shown("[role=menu]"), appears=("Your account", "Sign out")),
            Act("closes by an item", click('menuitem "Your account"'), hidden("[role=menu]"), goes=("Sign out",)),
        ),
        widget(
            "drawer",
            Act(
                "slides in",
                click('button "Show help"'),
                shown(".MuiDrawer-paper"),
                appears=("Invoices, members and limits.",),
            ),
            Act("slides out", click('button "Close help"'), hidden(".MuiDrawer-paper"), goes=("Invoices, members",)),
        ),
        widget(
            "snackbar",
            Act(
                "appears",
                click('button "Send invitation"'),
                shown(".MuiSnackbar-root"),
                appears=("Invitation sent", "Undo"),
            ),
            Act("is undone", click('button "Undo"'), hidden(".MuiSnackbar-root"), goes=("Invitation sent",)),
        ),
        widget(
            "tooltip",
            Act(
                "appears on hover",
                hover('button "Erase"'),
                shown("[role=tooltip]"),
                appears=("Permanently remove everything",),
            ),
            Act("goes when the pointer leaves", hover('heading "Settings"'), hidden("[role=tooltip]")),
        ),
        widget(
            "tabs",
            Act(
                "switch",
                click('tab "Security"'),
                "/Two-step/.test(app.textContent)",
                appears=("Two-step sign-in is off.",),
            ),
        ),
        widget(
            "accordion",
            Act(
                "expands",
                click('button "Advanced"'),
                shown(".MuiAccordionDetails-root"),
                appears=("Export all of your data",),
            ),
            Act("collapses", click('button "Advanced"'), hidden(".MuiAccordionDetails-root"), goes=("Export all",)),
        ),
        widget(
            "select",
            Act("opens", click('combobox "Size"'), shown("[role=listbox]"), appears=("Small", "Large")),
            Act(
                "takes an option",
                click('option "Large"'),
                text_of("[role=combobox]", "Large"),
                appears=("Large",),
                goes=("Small",),
            ),
        ),
        widget(
            "autocomplete",
            Act(
                "filters",
                type_("Li", 'combobox "City"'),
                shown("[role=listbox]"),
                appears=("Lisbon", "Lima"),
                goes=("Oslo",),
            ),
            Act(
                "takes an option",
                click('option "Lima"'),
                value_of("input[role=combobox]", "Lima"),
                appears=("Lima",),
                goes=("Lisbon",),
            ),
        ),
        widget(
            "switch",
            Act(
                "turns on",
                check('switch "Dark mode"'),
                "document.querySelector('[role=switch]').checked",
                appears=("checked",),
            ),
        ),
    ),
)

ANTD = Library(
    "antd",
    (
        widget(
            "modal",
            Act("opens", click('button "Hire"'), shown(".ant-modal"), appears=("They begin on Monday.",)),
            Act("closes by Escape", press("Escape"), hidden(".ant-modal"), goes=("They begin on Monday.",)),
            Act("opens again", click('button "Hire"'), shown(".ant-modal"), appears=("They begin on Monday.",)),
            Act("closes by Cancel", click('button "Cancel"'), hidden(".ant-modal"), goes=("They begin on Monday.",)),
        ),
        widget(
            "drawer",
            Act(
                "slides in",
                click('button "Details"'),
                shown(".ant-drawer-body"),
                appears=("Founded by three friends.",),
            ),
            Act("slides out", click('button "Close"'), hidden(".ant-drawer-body"), goes=("Founded by three friends.",)),
        ),
        widget(
            "notification",
            Act(
                "appears",
                click('button "Announce"'),
                shown(".ant-notification-notice"),
                appears=("The office is closed on Friday.",),
            ),
            Act(
                "is closed",
                click(".ant-notification-notice-close"),
                hidden(".ant-notification-notice"),
                goes=("The office is closed",),
            ),
        ),
        widget(
            "confirmation",
            Act("opens", click('button "Dismiss"'), shown(".ant-popconfirm"), appears=("Dismiss Boris?",)),
            Act(
                "is confirmed",
                click(".ant-popconfirm .ant-btn-primary"),
                text_of("#state", "Boris was dismissed"),
                appears=("Boris was dismissed",),
                goes=("Dismiss Boris?",),
            ),
        ),
        widget(
            "dropdown",
            Act(
                "opens on hover",
                hover('button "Export"'),
                shown(".ant-dropdown"),
                appears=("Export as text", "Export as table"),
            ),
            Act(
                "closes when the pointer leaves",
                hover('heading "Staff"'),
                hidden(".ant-dropdown"),
                goes=("Export as text",),
            ),
        ),
        widget(
            "tooltip",
            Act(
                "appears on hover",
                hover('button "Salaries"'),
                shown(".ant-tooltip"),
                appears=("Only managers see this",),
            ),
            Act(
                "goes when the pointer leaves",
                hover('heading "Staff"'),
                hidden(".ant-tooltip"),
                goes=("Only managers see this",),
            ),
        ),
        widget(
            "select",
            Act(
                "searches",
                type_("s", 'combobox "Team"'),
                shown(".ant-select-dropdown"),
                appears=("Sales", "Support"),
                goes=("Present",),
            ),
            Act(
                "takes an option",
                click('.ant-select-item[title="Support"]'),
                "/Support/.test(document.querySelector('.ant-select').textContent)",
                appears=("Support",),
                goes=("Sales",),
            ),
        ),
        widget(
            "switch",
            Act(
                "turns on",
                check('switch "Remote"'),
                "document.querySelector('.ant-switch').ariaChecked === 'true'",
                appears=("checked",),
            ),
        ),
        widget(
            "tabs",
            Act(
                "switch",
                click('tab "Absent"'),
                "/One is on leave/.test(document.body.innerText)",
                appears=("One is on leave.",),
                goes=("Two are at their desks.",),
            ),
        ),
        widget(
            "collapse",
            Act("expands", click('button "Rules"'), shown(".ant-collapse-item-active"), appears=("Lunch is at noon.",)),
            Act(
                "collapses",
                click('button "Rules"'),
                "!document.body.innerText.includes('Lunch')",
                goes=("Lunch is at noon.",),
            ),
        ),
        widget(
            "table",
            Act(
                "sorts",
                click('columnheader "Age"'),
                "/Boris.*Anna.*Clara/s.test(document.querySelector('tbody').textContent)",
                appears=("sort=ascending",),
            ),
            Act(
                "selects a row",
                check('checkbox "Select row 1"'),
                "!!document.querySelector('tr.ant-table-row-selected')",
                appears=("checked",),
            ),
        ),
    ),
)

RADIX = Library(
    "radix",
    (
        widget(
            "dialog",
            Act("opens", click('button "Lend a book"'), shown("[role=dialog]"), appears=("It is due in four weeks.",)),
            Act("closes by Escape", press("Escape"), hidden("[role=dialog]"), goes=("It is due in four weeks.",)),
            Act("opens again", click('button "Lend a book"'), shown("[role=dialog]"), appears=("Who borrows it?",)),
            Act(
                "closes by its button", click('button "Never mind"'), hidden("[role=dialog]"), goes=("Who borrows it?",)
            ),
        ),
        widget(
            "alert dialog",
            Act(
                "opens",
                click('button "Burn the library"'),
                shown("[role=alertdialog]"),
                appears=("Books do not come back.",),
            ),
            Act(
                "closes by its button",
                click('button "Put the match away"'),
                hidden("[role=alertdialog]"),
                goes=("Books do not",),
            ),
        ),
        widget(
            "menu",
            Act("opens", click('button "Shelf"'), shown("[role=menu]"), appears=("Sort by author", "Move to")),
            Act(
                "opens its submenu on hover",
                hover('menuitem "Move to"'),
                "document.querySelectorAll('[role=menu]').length === 2",
                appears=("The cellar",),
            ),
            Act("closes by an item", click('menuitem "The cellar"'), hidden("[role=menu]"), goes=("Sort by author",)),
        ),
        widget(
            "popover",
            Act("opens", click('button "Opening hours"'), shown("[role=dialog]"), appears=("Nine to five",)),
            Act("closes by its button", click('button "Got it"'), hidden("[role=dialog]"), goes=("Nine to five",)),
        ),
        widget(
            "tooltip",
            Act("appears on hover", hover('button "Fines"'), shown(".layer"), appears=("Ten cents a day",)),
            Act(
                "goes when the pointer leaves", hover('heading "Library"'), hidden(".layer"), goes=("Ten cents a day",)
            ),
        ),
        widget(
            "hover card",
            Act("appears on hover", hover('link "Ada Byron"'), shown(".layer"), appears=("Reader since 1832",)),
            Act(
                "goes when the pointer leaves",
                hover('heading "Library"'),
                hidden(".layer"),
                goes=("Reader since 1832",),
            ),
        ),
        widget(
            "select",
            Act("opens", click('combobox "Section"'), shown("[role=listbox]"), appears=("poems", "maps")),
            Act(
                "takes an option",
                click('option "maps"'),
                text_of("[role=combobox]", "maps"),
                appears=("maps",),
                goes=("poems",),
            ),
        ),
        widget(
            "accordion",
            Act("expands", click('button "May I eat here?"'), shown(".answer"), appears=("Only apples, and quietly.",)),
            Act("collapses", click('button "May I eat here?"'), hidden(".answer"), goes=("Only apples",)),
        ),
        widget(
            "tabs",
            Act(
                "switch",
                click('tab "Old books"'),
                "/1641/.test(document.body.innerText)",
                appears=("The oldest is from 1641.",),
                goes=("Seven arrived",),
            ),
        ),
        widget(
            "toast",
            Act(
                "appears", click('button "Return a book"'), shown(".toasts li"), appears=("Thank you for returning it",)
            ),
            Act("is dismissed", click('button "Dismiss"'), hidden(".toasts li"), goes=("Thank you for returning it",)),
        ),
    ),
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
                appears=("Orange",),
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

LIBRARIES = (MUI, ANTD, RADIX, REACT_SELECT, REACT_DATEPICKER, DOWNSHIFT, CMDK, SONNER, DND_KIT)

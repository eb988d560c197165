"""Acts on component kits for React."""

from __future__ import annotations

from tests.widgets.act import (
    Act,
    Library,
    check,
    click,
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
                type_("su", 'combobox "Team"'),
                shown(".ant-select-dropdown"),
                appears=("Support",),
            ),
            Act(
                "takes an option",
                click('.ant-select-item[title="Support"]'),
                "/Support/.test(document.querySelector('.ant-select').textContent)",
                appears=("Support",),
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

LIBRARIES = (MUI, ANTD, RADIX)

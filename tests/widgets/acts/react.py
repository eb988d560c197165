"""Acts on libraries for React."""

from __future__ import annotations

from tests.widgets.act import Act, Library, check, click, hidden, hover, press, shown, text_of, type_, value_of, widget

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

LIBRARIES = (MUI,)

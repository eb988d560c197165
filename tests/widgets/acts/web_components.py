"""Acts on libraries of web components."""

from __future__ import annotations

from tests.widgets.act import Act, Library, check, click, hover, press, type_, widget

SHOELACE = Library(
    "shoelace",
    (
        widget(
            "dialog",
            Act(
                "opens",
                click('button "New recipe"'),
                "document.querySelector('sl-dialog').open",
                appears=("What shall we cook?", "Dish"),
            ),
            Act(
                "closes by its button",
                click('button "Not today"'),
                "!document.querySelector('sl-dialog').open",
                goes=("What shall we cook?",),
            ),
            Act(
                "opens again",
                click('button "New recipe"'),
                "document.querySelector('sl-dialog').open",
                appears=("What shall we cook?",),
            ),
            Act(
                "closes by Escape",
                press("Escape"),
                "!document.querySelector('sl-dialog').open",
                goes=("What shall we cook?",),
            ),
        ),
        widget(
            "drawer",
            Act(
                "slides in",
                click('button "Shopping list"'),
                "document.querySelector('sl-drawer').open",
                appears=("Eggs, flour and butter.",),
            ),
            Act(
                "slides out",
                click('button "Close"'),
                "!document.querySelector('sl-drawer').open",
                goes=("Eggs, flour and butter.",),
            ),
        ),
        widget(
            "details",
            Act(
                "expand",
                click('button "How long does it take?"'),
                "document.querySelector('sl-details').open",
                appears=("About forty minutes.",),
            ),
            Act(
                "collapse",
                click('button "How long does it take?"'),
                "!document.querySelector('sl-details').open",
                goes=("About forty minutes.",),
            ),
        ),
        widget(
            "tabs",
            Act(
                "switch",
                click('tab "Savoury"'),
                "document.querySelector('[name=b]').active",
                appears=("Onion tart",),
                goes=("Apple cake",),
            ),
        ),
        widget(
            "dropdown",
            Act(
                "opens",
                click('button "Share"'),
                "document.querySelector('sl-dropdown').open",
                appears=("By mail", "As a link"),
            ),
            Act(
                "closes by an item",
                click('menuitem "As a link"'),
                "!document.querySelector('sl-dropdown').open",
                goes=("By mail",),
            ),
        ),
        widget(
            "select",
            Act(
                "opens", click('combobox "Servings"'), "document.querySelector('sl-select').open", appears=("For four",)
            ),
            Act(
                "takes an option",
                click('option "For four"'),
                "document.querySelector('sl-select').value === '4'",
                appears=("For four",),
                goes=("For two",),
            ),
        ),
        widget(
            "tooltip",
            Act(
                "appears on hover",
                hover('button "Bake"'),
                "document.querySelector('sl-tooltip').open",
                appears=("Needs an oven",),
            ),
            Act(
                "goes when the pointer leaves",
                hover('heading "Recipes"'),
                "!document.querySelector('sl-tooltip').open",
                goes=("Needs an oven",),
            ),
        ),
        widget(
            "switch",
            Act(
                "turns on",
                check('switch "Vegetarian"'),
                "document.querySelector('sl-switch').checked",
                appears=("checked",),
            ),
        ),
        widget(
            "toast",
            Act(
                "appears",
                click('button "Save"'),
                "document.querySelector('sl-alert').open",
                appears=("Your recipe was saved.",),
            ),
            Act(
                "is closed",
                click('button "Close"'),
                "!document.querySelector('sl-alert')?.open",
                goes=("Your recipe was saved.",),
            ),
        ),
    ),
)

MATERIAL_WEB = Library(
    "material_web",
    (
        widget(
            "dialog",
            Act(
                "opens",
                click('button "New alarm"'),
                "document.querySelector('md-dialog').open",
                appears=("It rings for a minute.",),
            ),
            Act(
                "closes by its button",
                click('button "Dismiss"'),
                "!document.querySelector('md-dialog').open",
                goes=("It rings for a minute.",),
            ),
            Act(
                "opens again",
                click('button "New alarm"'),
                "document.querySelector('md-dialog').open",
                appears=("Set an alarm",),
            ),
            Act(
                "closes by Escape",
                press("Escape"),
                "!document.querySelector('md-dialog').open",
                goes=("It rings for a minute.",),
            ),
        ),
        widget(
            "menu",
            Act("opens", click('button "Sounds"'), "document.querySelector('md-menu').open", appears=("Bell", "Rain")),
            Act(
                "closes by an item", click('menuitem "Rain"'), "!document.querySelector('md-menu').open", goes=("Bell",)
            ),
        ),
        widget(
            "tabs",
            Act(
                "switch",
                click('tab "Weekend"'),
                "/nine/.test(document.querySelector('#panel').textContent)",
                appears=("Rings at nine.",),
                goes=("Rings at seven.",),
            ),
        ),
        widget(
            "select",
            Act(
                "opens",
                click('combobox "Snooze"'),
                "document.querySelector('md-outlined-select').open",
                appears=("Ten minutes",),
            ),
            Act(
                "takes an option",
                click('option "Ten minutes"'),
                "document.querySelector('md-outlined-select').value === '10'",
                appears=("Ten minutes",),
                goes=("Five minutes",),
            ),
        ),
        widget(
            "switch",
            Act(
                "turns on",
                check('switch "Vibrate"'),
                "document.querySelector('md-switch').selected",
                appears=("checked",),
            ),
        ),
        widget(
            "text field",
            Act(
                "takes text",
                type_("Early", 'textbox "Name of the alarm"'),
                "document.querySelector('md-filled-text-field').value === 'Early'",
                appears=("Early",),
            ),
        ),
    ),
)

LIBRARIES = (SHOELACE, MATERIAL_WEB)

"""Acts on libraries for jQuery."""

from __future__ import annotations

from tests.widgets.act import Act, Library, click, drag, hidden, hover, press, shown, type_, value_of, widget

JQUERY_UI = Library(
    "jquery_ui",
    (
        widget(
            "dialog",
            Act("opens", click('button "Invite"'), shown(".ui-dialog"), appears=("There are two seats left.",)),
            Act("closes by Escape", press("Escape"), hidden(".ui-dialog"), goes=("There are two seats left.",)),
            Act("opens again", click('button "Invite"'), shown(".ui-dialog"), appears=("There are two seats left.",)),
            Act(
                "closes by its button",
                click('button "Another time"'),
                hidden(".ui-dialog"),
                goes=("There are two seats left.",),
            ),
        ),
        widget(
            "accordion",
            Act(
                "switches",
                click('tab "Music"'),
                "/quartet/.test(document.body.innerText)",
                appears=("A string quartet.",),
                goes=("Soup and bread.",),
            ),
            Act(
                "collapses",
                click('tab "Music"'),
                "!/quartet/.test(document.body.innerText)",
                goes=("A string quartet.",),
            ),
        ),
        widget(
            "tabs",
            Act(
                "switch",
                click('link "Gifts"'),
                shown("#two"),
                appears=("Books, please.",),
                goes=("Eleven have said yes.",),
            ),
        ),
        widget(
            "date picker",
            Act("opens", click('textbox "Day"'), shown("#ui-datepicker-div"), appears=("May", "2031")),
            Act(
                "shows the next month",
                click(".ui-datepicker-next"),
                shown("#ui-datepicker-div"),
                appears=("June",),
                goes=("May",),
            ),
            Act(
                "takes a day",
                click('link "18"'),
                f"{value_of('#day', '2031-06-18')} && {hidden('#ui-datepicker-div')}",
                appears=("2031-06-18",),
                goes=("June",),
            ),
        ),
        widget(
            "autocomplete",
            Act(
                "finds after a pause",
                type_("m", 'textbox "Wine"'),
                shown(".ui-autocomplete"),
                appears=("Merlot", "Malbec"),
            ),
            Act(
                "takes an option",
                click(".ui-menu-item:first-child"),
                value_of("#wine", "Merlot"),
                appears=("Merlot",),
                goes=("Malbec",),
            ),
        ),
        widget(
            "tooltip",
            Act("appears on hover", hover('button "Where?"'), shown(".ui-tooltip"), appears=("Behind the old mill",)),
            Act("goes when the pointer leaves", hover('heading "Party"'), hidden(".ui-tooltip")),
        ),
        widget(
            "sortable",
            Act(
                "is sorted",
                drag("#order :nth-child(1)", "#order :nth-child(2)"),
                "/Dinner\\s*Speech\\s*Dance/.test(document.querySelector('#order').innerText)",
                appears=("Speech",),
            ),
        ),
    ),
)

SELECT2 = Library(
    "select2",
    (
        widget(
            "single",
            Act("opens", click('combobox "Assam"'), shown(".select2-dropdown"), appears=("Darjeeling", "Oolong")),
            Act(
                "searches",
                type_("oo"),
                "document.querySelectorAll('.select2-results__option').length === 1",
                appears=("Oolong",),
                goes=("Darjeeling",),
            ),
            Act("takes an option", press("Enter"), value_of("#tea", "Oolong"), appears=("Oolong",)),
        ),
        widget(
            "multiple",
            Act("opens", click('searchbox "Search"'), shown(".select2-dropdown"), appears=("Lemon", "Honey")),
            Act(
                "takes an option",
                click('option "Honey"'),
                value_of("#extras", "Honey"),
                appears=("Honey",),
                goes=("Lemon",),
            ),
            Act(
                "removes an option",
                click(".select2-selection__choice__remove"),
                value_of("#extras", ""),
                goes=("Remove item",),
            ),
        ),
    ),
)

LIBRARIES = (JQUERY_UI, SELECT2)

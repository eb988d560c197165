"""Acts on pickers, selects, sliders and editors of libraries without a framework."""

from __future__ import annotations

from tests.widgets.act import Act, Library, click, fill, hidden, press, shown, text_of, type_, value_of, widget

FLATPICKR = Library(
    "flatpickr",
    (
        widget(
            "date",
            Act("opens", click('textbox "Arrival"'), shown(".flatpickr-calendar.open"), appears=("May 15, 2031",)),
            Act(
                "shows the next month",
                click(".flatpickr-calendar.open .flatpickr-next-month"),
                "document.querySelector('.open .flatpickr-monthDropdown-months').value === '5'",
                appears=("June 15, 2031",),
            ),
            Act(
                "takes a day",
                click('.flatpickr-calendar.open [aria-label="June 18, 2031"]'),
                value_of("#arrival", "2031-06-18"),
                appears=("2031-06-18",),
                goes=("June 15, 2031",),
            ),
        ),
        widget(
            "range",
            Act("opens", click('textbox "Stay"'), shown(".flatpickr-calendar.open"), appears=("May 12, 2031",)),
            Act(
                "takes the first day",
                click('.open [aria-label="May 20, 2031"]'),
                shown(".open"),
                appears=("2031-05-20",),
            ),
            Act(
                "takes the last day",
                click('.open [aria-label="May 23, 2031"]'),
                value_of("#stay", "2031-05-20 to 2031-05-23"),
                appears=("2031-05-20 to 2031-05-23",),
                goes=("May 21, 2031",),
            ),
        ),
        widget(
            "time",
            Act(
                "opens", click('textbox "Wake-up call"'), shown(".flatpickr-calendar.open"), appears=("Hour", "Minute")
            ),
            Act("takes an hour", fill('spinbutton "Hour"', "09"), value_of(".open .flatpickr-hour", "09")),
            Act(
                "closes by a click elsewhere",
                click('heading "Book a room"'),
                f"{hidden('.flatpickr-calendar.open')} && document.querySelector('#call').value === '09:30'",
                appears=("09:30",),
                goes=("Minute",),
            ),
        ),
    ),
)

VANILLA_DATEPICKER = Library(
    "vanilla_datepicker",
    (
        widget(
            "date",
            Act("opens", click('textbox "Day"'), shown(".datepicker.active"), appears=("May 2031",)),
            Act(
                "shows the next month",
                click(".datepicker.active .next-button"),
                "document.querySelector('.datepicker.active .view-switch').textContent === 'June 2031'",
                appears=("June 2031",),
                goes=("May 2031",),
            ),
            Act(
                "takes a day",
                click(".datepicker.active .datepicker-cell.day:not(.prev) ~ .day:nth-child(17)"),
                "document.querySelector('#day').value.startsWith('2031-06-')",
                appears=("2031-06-",),
                goes=("June 2031",),
            ),
        ),
    ),
)

CHOICES = Library(
    "choices",
    (
        widget(
            "single",
            Act(
                "opens",
                click(".choices[data-type=select-one]"),
                shown(".is-open .choices__list--dropdown"),
                appears=("Regular", "Family"),
            ),
            Act(
                "searches",
                type_("fam"),
                "document.querySelectorAll('.is-open .choices__list--dropdown [role=option]').length === 1",
                appears=("Family",),
                goes=("Regular",),
            ),
            Act("takes an option", press("Enter"), value_of("#size", "Family"), appears=("Family",)),
        ),
        widget(
            "multiple",
            Act(
                "opens",
                click('searchbox "Toppings"'),
                shown(".is-open .choices__list--dropdown"),
                appears=("Basil", "Olives"),
            ),
            Act("takes an option", click('option "Olives"'), value_of("#toppings", "Olives"), appears=("Olives",)),
            Act("closes by Escape", press("Escape"), hidden(".is-open .choices__list--dropdown"), goes=("Mushrooms",)),
            Act("removes an option", click(".choices__button"), value_of("#toppings", ""), goes=("Olives",)),
        ),
    ),
)

TOM_SELECT = Library(
    "tom_select",
    (
        widget(
            "single",
            Act("opens", click('combobox "Person"'), shown(".ts-dropdown"), appears=("Ada Byron", "Grace Hopper")),
            Act(
                "searches",
                type_("tur"),
                "document.querySelectorAll('.ts-dropdown .option').length === 1",
                appears=("Alan Turing",),
                goes=("Ada Byron",),
            ),
            Act("takes an option", press("Enter"), value_of("#person", "Alan Turing"), appears=("Alan Turing",)),
        ),
        widget(
            "tags",
            Act(
                "creates a tag",
                type_("later\n", 'combobox "Labels"'),
                value_of("#labels", "urgent,later"),
                appears=("later",),
            ),
            Act(
                "removes a tag",
                click('.item[data-value="urgent"] .remove'),
                value_of("#labels", "later"),
                goes=("urgent",),
            ),
        ),
        widget(
            "remote search",
            Act(
                "finds after a pause",
                type_("gar", 'combobox "Project"'),
                "/Garden wall/.test(document.body.textContent)",
                appears=("Garden wall",),
            ),
            Act(
                "takes an option",
                click('option "Garden wall"'),
                value_of("#project", "Garden wall"),
                appears=("Garden wall",),
            ),
        ),
    ),
    answers={"/projects": [{"name": "Garden wall"}, {"name": "Garden gate"}]},
)

NOUISLIDER = Library(
    "nouislider",
    (
        widget(
            "slider",
            Act(
                "moves by key",
                press("ArrowRight", 'slider "Lowest"'),
                text_of("#range", "From 250 to 600"),
                appears=("From 250 to 600",),
            ),
            Act(
                "moves by a click on its track",
                click(".noUi-target"),
                text_of("#range", "From 250 to 500"),
                appears=("From 250 to 500",),
            ),
        ),
    ),
)

QUILL = Library(
    "quill",
    (
        widget(
            "editor",
            Act(
                "takes text",
                type_(" good evening.", ".ql-editor"),
                "quill.getText().trim() === 'Dear reader, good evening.'",
                appears=("good evening.",),
            ),
            Act("selects all", press("Control+a", ".ql-editor"), "quill.getSelection().length > 20"),
            Act(
                "makes it bold",
                click('button "bold"'),
                "!!document.querySelector('.ql-editor strong')",
                appears=("bold",),
            ),
            Act(
                "opens a list of formats",
                click('button "Normal"'),
                shown(".ql-picker.ql-expanded .ql-picker-options"),
                appears=("Heading 1",),
            ),
            Act(
                "makes a heading",
                click('.ql-picker-item[data-value="1"]'),
                "!!document.querySelector('.ql-editor h1')",
                appears=("Heading 1",),
            ),
            Act("is emptied", click('button "Start again"'), "quill.getText().trim() === ''", goes=("good evening.",)),
        ),
    ),
)

TIPTAP = Library(
    "tiptap",
    (
        widget(
            "editor",
            Act(
                "takes text",
                type_(" and eggs", 'textbox "Note"'),
                "editor.getText() === 'Milk and eggs'",
                appears=("13 characters",),
            ),
            Act(
                "makes a list",
                click('button "Bullets"'),
                "!!document.querySelector('#editor ul')",
                appears=("Milk and eggs",),
            ),
            Act("undoes it", click('button "Undo"'), "!document.querySelector('#editor ul')"),
        ),
    ),
)

LIBRARIES = (FLATPICKR, VANILLA_DATEPICKER, CHOICES, TOM_SELECT, NOUISLIDER, QUILL, TIPTAP)

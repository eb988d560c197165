"""Acts on libraries for Vue."""

from __future__ import annotations

from tests.widgets.act import Act, Library, click, hidden, hover, press, shown, text_of, type_, value_of, widget

ELEMENT_PLUS = Library(
    "element_plus",
    (
        widget(
            "dialog",
            Act("opens", click('button "New order"'), shown(".el-dialog"), appears=("Choose what you need.",)),
            Act(
                "closes by its button", click('button "Not now"'), hidden(".el-dialog"), goes=("Choose what you need.",)
            ),
            Act("opens again", click('button "New order"'), shown(".el-dialog"), appears=("Choose what you need.",)),
            Act("closes by Escape", press("Escape"), hidden(".el-dialog"), goes=("Choose what you need.",)),
        ),
        widget(
            "drawer",
            Act("slides in", click('button "Show cart"'), shown(".el-drawer"), appears=("Two lamps, one chair.",)),
            Act("slides out", click(".el-drawer__close-btn"), hidden(".el-drawer"), goes=("Two lamps",)),
        ),
        widget(
            "message box",
            Act(
                "opens",
                click('button "Cancel order"'),
                shown(".el-message-box"),
                appears=("Order 17 will be cancelled.",),
            ),
            Act(
                "is declined",
                click('button "Keep it"'),
                text_of("#state", "Order 17 was kept"),
                appears=("was kept",),
                goes=("will be cancelled",),
            ),
        ),
        widget(
            "message",
            Act("appears", click('button "Copy number"'), shown(".el-message"), appears=("Number copied",)),
            Act("is closed", click(".el-message__closeBtn"), hidden(".el-message"), goes=("Number copied",)),
        ),
        widget(
            "notification",
            Act("appears", click('button "Ship"'), shown(".el-notification"), appears=("The parcel left the house.",)),
            Act(
                "is closed", click(".el-notification__closeBtn"), hidden(".el-notification"), goes=("The parcel left",)
            ),
        ),
        widget(
            "collapse",
            Act(
                "expands",
                click('button "Delivery"'),
                shown(".el-collapse-item__content"),
                appears=("Arrives within two days.",),
            ),
            Act(
                "collapses", click('button "Delivery"'), hidden(".el-collapse-item__content"), goes=("Arrives within",)
            ),
        ),
        widget(
            "tabs",
            Act(
                "switch",
                click('tab "Done"'),
                shown("#pane-done"),
                appears=("Nine orders were delivered.",),
                goes=("Three orders wait.",),
            ),
        ),
        widget(
            "select",
            Act(
                "filters",
                type_("Be", 'combobox "Ship to"'),
                shown(".el-select-dropdown"),
                appears=("Berlin", "Bergen"),
                goes=("Rome",),
            ),
            Act(
                "takes an option",
                click('option "Bern"'),
                "/Bern/.test(document.querySelector('.el-select').textContent)",
                appears=("Bern",),
                goes=("Berlin",),
            ),
        ),
        widget(
            "date picker",
            Act("opens", click('combobox "Ship on"'), shown(".el-picker-panel"), appears=("2031", "May")),
            Act(
                "takes a day",
                click(".el-date-table tr:nth-child(5) td:nth-child(3)"),
                value_of(".el-date-editor input", "2031-05-20"),
                appears=("2031-05-20",),
            ),
        ),
        widget(
            "tooltip",
            Act("appears on hover", hover('button "Price"'), shown(".el-popper"), appears=("Within the country only",)),
        ),
    ),
)

PRIMEVUE = Library(
    "primevue",
    (
        widget(
            "dialog",
            Act("opens", click('button "Plant a tree"'), shown(".p-dialog"), appears=("It needs a sunny place.",)),
            Act(
                "closes by its button", click('button "Later"'), hidden(".p-dialog"), goes=("It needs a sunny place.",)
            ),
            Act("opens again", click('button "Plant a tree"'), shown(".p-dialog"), appears=("Which tree?",)),
            Act("closes by Escape", press("Escape"), hidden(".p-dialog"), goes=("It needs a sunny place.",)),
        ),
        widget(
            "menu",
            Act("opens", click('button "Tools"'), shown(".p-menu"), appears=("Spade", "Rake")),
            Act("closes by an item", click('menuitem "Rake"'), hidden(".p-menu"), goes=("Spade",)),
        ),
        widget(
            "toast",
            Act("appears", click('button "Water"'), shown(".p-toast-message"), appears=("The roses are happy.",)),
            Act(
                "is closed", click(".p-toast-close-button"), hidden(".p-toast-message"), goes=("The roses are happy.",)
            ),
        ),
        widget(
            "tooltip",
            Act("appears on hover", hover('button "Fence"'), shown(".p-tooltip"), appears=("Keeps the deer out",)),
            Act(
                "goes when the pointer leaves",
                hover('heading "Garden"'),
                hidden(".p-tooltip"),
                goes=("Keeps the deer out",),
            ),
        ),
        widget(
            "select",
            Act("opens", click('combobox "Plant"'), shown(".p-select-overlay"), appears=("Fern", "Iris")),
            Act(
                "searches",
                type_("ir", ".p-select-filter"),
                "document.querySelectorAll('.p-select-option').length === 1",
                goes=("Fern",),
            ),
            Act("takes an option", click('option "Iris"'), text_of(".p-select-label", "Iris"), appears=("Iris",)),
        ),
        widget(
            "accordion",
            Act(
                "expands",
                click('button "When to sow?"'),
                shown(".p-accordioncontent-content"),
                appears=("After the last frost.",),
            ),
            Act(
                "collapses",
                click('button "When to sow?"'),
                hidden(".p-accordioncontent-content"),
                goes=("After the last frost.",),
            ),
        ),
        widget(
            "table",
            Act(
                "sorts",
                click('columnheader "Height"'),
                "/Fern.*Iris.*Rose/s.test(document.querySelector('tbody').textContent)",
                appears=("Height",),
            ),
            Act(
                "selects a row",
                click('cell "70"'),
                "!!document.querySelector('tr.p-datatable-row-selected')",
                appears=("selected",),
            ),
        ),
    ),
)

HEADLESS_UI = Library(
    "headless_ui",
    (
        widget(
            "dialog",
            Act("opens", click('button "Pay now"'), shown("[role=dialog]"), appears=("A receipt is on its way.",)),
            Act(
                "closes by Escape",
                press("Escape"),
                "!document.querySelector('[role=dialog]')",
                goes=("A receipt is on its way.",),
            ),
            Act("opens again", click('button "Pay now"'), shown("[role=dialog]"), appears=("Payment received",)),
            Act(
                "closes by its button",
                click('button "Thanks"'),
                "!document.querySelector('[role=dialog]')",
                goes=("Payment received",),
            ),
        ),
        widget(
            "menu",
            Act("opens", click('button "Options"'), shown("[role=menu]"), appears=("Duplicate", "Refund")),
            Act(
                "closes by an item",
                click('menuitem "Refund"'),
                "!document.querySelector('[role=menu]')",
                goes=("Duplicate",),
            ),
        ),
        widget(
            "listbox",
            Act("opens", click('button "By card"'), shown("[role=listbox]"), appears=("By invoice", "In cash")),
            Act(
                "takes an option",
                click('option "In cash"'),
                "!document.querySelector('[role=listbox]')",
                appears=("In cash",),
                goes=("By invoice",),
            ),
        ),
        widget(
            "disclosure",
            Act(
                "expands",
                click('button "Fees"'),
                "/One percent/.test(app.innerText)",
                appears=("One percent of the amount.",),
            ),
            Act(
                "collapses",
                click('button "Fees"'),
                "!/One percent/.test(app.innerText)",
                goes=("One percent of the amount.",),
            ),
        ),
        widget(
            "switch",
            Act(
                "turns on",
                click('switch "Monthly"'),
                "document.querySelector('[role=switch]').ariaChecked === 'true'",
                appears=("checked",),
            ),
        ),
    ),
)

LIBRARIES = (ELEMENT_PLUS, PRIMEVUE, HEADLESS_UI)

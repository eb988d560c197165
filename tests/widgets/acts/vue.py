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
                click(".el-date-table td.available >> nth=19"),
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

LIBRARIES = (ELEMENT_PLUS,)

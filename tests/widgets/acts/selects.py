"""Acts that choose with one `select`: in a native select that is hidden, or in a combobox."""

from __future__ import annotations

from tests.widgets.act import Act, Library, click, hidden, select, text_of, value_of, widget


def _chosen(selector: str, *labels: str) -> str:
    """Return an expression: these options of a select are chosen."""
    return (
        f"[...document.querySelector('{selector}').selectedOptions].map(o => o.label).join() === '{','.join(labels)}'"
    )


SLIM_SELECT = Library(
    "slim_select",
    (
        widget(
            "single", Act("is chosen in", select("#start", "Old mill"), _chosen("#start", "Old mill"), ("Old mill",))
        ),
        widget(
            "multiple",
            Act(
                "is chosen in",
                select("#stops", "Bridge", "Lighthouse"),
                _chosen("#stops", "Bridge", "Lighthouse") + " && " + hidden(".ss-content.ss-open-below"),
                ("Lighthouse",),
            ),
            Act("is chosen in again", select("#stops", "Chapel"), _chosen("#stops", "Chapel"), ("Chapel",)),
            Act("covers no button", click('button "Walk"'), "true"),
        ),
    ),
)

NICE_SELECT = Library(
    "nice_select",
    (widget("single", Act("is chosen in", select("#boat", "Raft"), _chosen("#boat", "Raft"), ("Raft",), ("Canoe",))),),
)

CHOSEN = Library(
    "chosen",
    (
        widget("single", Act("is chosen in", select("#pet", "Goldfish"), _chosen("#pet", "Goldfish"), ("Goldfish",))),
        widget(
            "multiple",
            Act(
                "is chosen in",
                select("#habits", "Noisy", "Playful"),
                _chosen("#habits", "Noisy", "Playful"),
                ("Noisy",),
            ),
        ),
    ),
)

BOOTSTRAP_SELECT = Library(
    "bootstrap_select",
    (
        widget("single", Act("is chosen in", select("#class", "Sleeper"), _chosen("#class", "Sleeper"), ("Sleeper",))),
        widget(
            "multiple",
            Act(
                "is chosen in",
                select("#meals", "Breakfast", "Supper"),
                _chosen("#meals", "Breakfast", "Supper") + " && " + hidden(".dropdown-menu"),
                ("Breakfast, Supper",),
            ),
        ),
    ),
)

VUETIFY = Library(
    "vuetify",
    (
        widget(
            "select",
            Act("is chosen in", select('combobox "Crop"', "Crop 7"), "/^Crop 7,/.test(plan.innerText)", ("Crop 7",)),
            Act(
                "is chosen in far down",
                select('combobox "Crop"', "Crop 180"),
                "/^Crop 180,/.test(plan.innerText)",
                ("Crop 180",),
                ("Crop 7,",),
            ),
        ),
        widget(
            "multiple",
            Act(
                "is chosen in",
                select('combobox "Tools"', "Rake", "Spade"),
                "/Rake and Spade,/.test(plan.innerText) && " + hidden(".v-overlay__content"),
                ("Rake", "Spade"),
            ),
        ),
        widget(
            "autocomplete",
            Act("is chosen in", select('combobox "Month"', "April"), "/April$/.test(plan.innerText)", ("April",)),
        ),
    ),
)

# Widgets of libraries whose other acts are elsewhere, by library. They choose what those have not chosen, as they may
# begin on the page that those have left.
IN_ONE_CALL = {
    "choices": widget(
        "in one call",
        Act("chooses one", select("#size", "Regular"), _chosen("#size", "Regular"), ("Regular",)),
        Act(
            "chooses several",
            select("#toppings", "Basil", "Mushrooms"),
            _chosen("#toppings", "Basil", "Mushrooms") + " && " + hidden(".is-open .choices__list--dropdown"),
            ("Mushrooms",),
        ),
        Act("chooses another", select("#toppings", "Olives"), _chosen("#toppings", "Olives"), ("Olives",)),
    ),
    "tom_select": widget(
        "in one call",
        Act("chooses behind the widget", select("#person", "Grace Hopper"), _chosen("#person", "Grace Hopper")),
        Act(
            "chooses in the widget",
            select('combobox "Person"', "Alan Turing"),
            _chosen("#person", "Alan Turing"),
            ("Alan Turing",),
        ),
        Act(
            "searches a server",
            select('combobox "Project"', "Garden gate"),
            "/Garden gate/.test(document.querySelector('#project').value)",
            ("Garden gate",),
        ),
    ),
    "select2": widget(
        "in one call",
        Act("chooses one", select("#tea", "Darjeeling"), _chosen("#tea", "Darjeeling"), ("Darjeeling",)),
        Act("chooses several", select("#extras", "Milk", "Honey"), _chosen("#extras", "Milk", "Honey"), ("Milk",)),
        Act("chooses another", select("#extras", "Lemon"), _chosen("#extras", "Lemon"), ("Lemon",)),
    ),
    "react_select": widget(
        "in one call",
        Act("chooses one", select('combobox "Colour"', "Yellow"), value_of("[name=colour]", "Yellow"), ("Yellow",)),
        Act(
            "chooses several",
            select('combobox "Mix"', "Ocean", "Purple"),
            "['Ocean', 'Purple'].every(n => [...document.querySelectorAll('[name=mix]')].some(i => i.value === n)) && "
            + hidden("[role=listbox]"),
            ("Ocean",),
        ),
        Act("searches a server", select('combobox "Bird"', "Heron"), value_of("[name=bird]", "Heron"), ("Heron",)),
    ),
    "mui": widget(
        "in one call",
        Act("chooses", select('combobox "Size"', "Small"), text_of("[role=combobox]", "Small"), ("Small",)),
        Act(
            "chooses by typing", select('combobox "City"', "Oslo"), value_of("input[role=combobox]", "Oslo"), ("Oslo",)
        ),
    ),
    "antd": widget(
        "in one call",
        Act(
            "chooses",
            select('combobox "Team"', "Design"),
            "/Design/.test(document.querySelector('.ant-select').textContent) && " + hidden(".ant-select-dropdown"),
            ("Design",),
        ),
    ),
    "radix": widget(
        "in one call",
        Act("chooses", select('combobox "Section"', "poems"), text_of("[role=combobox]", "poems"), ("poems",)),
    ),
    "element_plus": widget(
        "in one call",
        Act(
            "chooses",
            select('combobox "Ship to"', "Rome"),
            "/Rome/.test(document.querySelector('.el-select').textContent)",
            ("Rome",),
        ),
    ),
    "primevue": widget(
        "in one call",
        Act("chooses", select('combobox "Plant"', "Fern"), text_of(".p-select-label", "Fern"), ("Fern",)),
    ),
    "headless_ui": widget(
        "in one call",
        Act(
            "chooses",
            select("[aria-haspopup=listbox]", "By invoice"),
            "!document.querySelector('[role=listbox]')",
            ("By invoice",),
        ),
    ),
    "downshift": widget(
        "in one call",
        Act("chooses", select('combobox "Seat"', "Window"), text_of("#seat", "Window"), ("Window",)),
        Act(
            "searches after a pause",
            select('combobox "City"', "Athens"),
            text_of("#chosen", "Flying to Athens"),
            ("Flying to Athens",),
        ),
    ),
    "shoelace": widget(
        "in one call",
        Act(
            "chooses",
            select('combobox "Servings"', "For six"),
            value_of("sl-select", "6"),
            ("For six",),
        ),
        Act("chooses by value", select("sl-select", "2"), value_of("sl-select", "2"), ("For two",)),
    ),
    "material_web": widget(
        "in one call",
        Act(
            "chooses",
            select('combobox "Snooze"', "Fifteen minutes"),
            value_of("md-outlined-select", "15"),
            ("Fifteen minutes",),
        ),
        Act(
            "chooses by value",
            select("md-outlined-select", "5"),
            value_of("md-outlined-select", "5"),
            ("Five minutes",),
        ),
    ),
}

LIBRARIES = (SLIM_SELECT, NICE_SELECT, CHOSEN, BOOTSTRAP_SELECT, VUETIFY)

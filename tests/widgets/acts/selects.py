"""Acts on libraries for selects, each chosen in by one `select`: of a native select that is hidden, or of a combobox."""

from __future__ import annotations

from tests.widgets.act import Act, Library, click, hidden, select, text_of, value_of, widget


def _chosen(selector: str, *labels: str) -> str:
    """Return an expression: these options of a select are chosen."""
    return f"[...document.querySelector('{selector}').selectedOptions].map(o => o.label).join() === '{','.join(labels)}'"


SLIM_SELECT = Library(
    "slim_select",
    (
        widget("single", Act("is chosen in", select("#start", "Old mill"), _chosen("#start", "Old mill"), ("Old mill",))),
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
            Act("is chosen in", select("#habits", "Noisy", "Playful"), _chosen("#habits", "Noisy", "Playful"), ("Noisy",)),
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

LIBRARIES = (SLIM_SELECT, NICE_SELECT, CHOSEN, BOOTSTRAP_SELECT, VUETIFY)

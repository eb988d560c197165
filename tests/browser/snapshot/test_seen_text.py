"""Text that a person sees is in the snapshot, and is not marked as invisible."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.browser.snapshot.conftest import World

SWITCH = """<style>
.track { width: 40px; height: 20px; border-radius: 10px; background: #ccc; position: relative }
.knob { position: absolute; left: 2px; top: 2px; width: 16px; height: 16px; border-radius: 50%; background: #fff }
.right .knob { left: 22px }
.drawn::after { content: ""; position: absolute; left: 2px; top: 2px; width: 16px; height: 16px; background: #fff }
.drawn.right::after { transform: translateX(20px) }
</style>"""
DOT = "display: inline-block; width: 8px; height: 8px; border-radius: 50%; background:"

CASES = {
    "owned by an element that is not displayed": (
        "<div hidden aria-owns=t></div><button id=t>Pay</button>",
        'button "Pay" [e1]',
    ),
    "owned by a field": (
        "<input role=combobox aria-label=Fruit aria-owns=t><ul id=t role=listbox><li role=option>Apple</ul>",
        'combobox "Fruit" (aria) [e1]\nlistbox\n option "Apple" [e2]',
    ),
    "owned by a picture": ("<div role=img aria-label=A><i><b aria-owns=t></b></i></div><p id=t>Kept</p>", '"Kept"'),
    "an empty list as a value": ("<dl><dt>Default</dt><dd>[]</dd></dl>", 'definition: "[]"'),
    "a delimiter in a cell": ("<table><tr><th>a<th>b<tr><td>sep<td>|</table>", 'row: "sep | |"'),
    "a separator between links": ("<a href=/a>A</a> | <a href=/b>B</a>", 'link "A" [e1]\nlink "B" [e2]'),
    "a space in an element of its own": ("<button>Add<span> </span>to cart</button>", 'button "Add to cart"'),
    "text in a progress bar": ("<div role=progressbar aria-valuenow=5>Half way</div>", 'value=5: "Half way"'),
    "text in a slider": ("<div role=slider tabindex=0 aria-valuenow=3><b>3 stars</b></div>", '[e1]: "3 stars"'),
    "buttons in a spin button": ("<div role=spinbutton tabindex=0><button>+</button></div>", 'button "+"'),
    "text in a picture": ("<div role=img aria-label=Chart>42 visitors</div>", 'img "Chart" (aria): "42 visitors"'),
    "a list marker that is a string": ("<ul style=\"list-style-type: '→ '\"><li>One</ul>", '"→ One"'),
    "a list marker by content": (
        '<style>li::marker { content: "Step " counter(list-item) ": " }</style><ol><li>Wash<li>Dry</ol>',
        '"Step 1: Wash"\n "Step 2: Dry"',
    ),
    "letters as numbers": ("<ol type=a start=3><li>One<li>Two</ol>", '"c. One"\n "d. Two"'),
    "numbers downwards": ("<ol reversed><li>One<li>Two</ol>", '"2. One"\n "1. Two"'),
    "places in a list": ("<ol><li>One<li>Two</ol>", '"One"\n "Two"'),
    "a counter style of the page": (
        '<style>@counter-style s { system: cyclic; symbols: "★" "☆"; suffix: " " } ul { list-style: s }</style>'
        "<ul><li>One<li>Two<li>Three</ul>",
        '"★ One"\n "☆ Two"\n "★ Three"',
    ),
    "counters before text": (
        '<style>p { counter-increment: s } p::before { content: "§" counter(s) " " }</style><p>One</p><p>Two</p>',
        '"§1 One"\n"§2 Two"',
    ),
    "a counter in alternative text": (
        '<style>a::before { counter-set: c 5; content: "" / "Figure " counter(c) }</style><a href=/>Cat</a>',
        'link "Figure 5 Cat" (invisible part: "Figure 5", screen-reader text)',
    ),
    "quotation marks of the language": ("<p lang=de><q>Eins <q>zwei</q></q></p>", '"„Eins ‚zwei‘“"'),
    "quotation marks of the page": ("<p><q style=\"quotes: '<<' '>>'\">One</q></p>", '"<<One>>"'),
    "a combobox in a label": (
        "<label><input type=checkbox> Flash <b role=combobox tabindex=0 aria-label=n>3</b> times</label>",
        'checkbox "Flash 3 times"',
    ),
    "text in a foreignObject": (
        "<svg width=200 height=60><foreignObject width=200 height=60><p>Inside</p></foreignObject></svg>",
        '"Inside"',
    ),
    "one of two prices": (
        "<p>€29.00<span style='text-decoration: line-through'>€59.00</span></p>",
        '"€29.00"\n"€59.00" (struck through)',
    ),
    "one of two prices in a link": (
        "<a href=/>Shoe <s>€59</s><b>€29</b></a>",
        'link "Shoe €59 €29" (struck through: "€59") [e1]',
    ),
    "a task that is done": (
        "<button style='text-decoration: line-through'>Milk</button>",
        'button "Milk" (struck through) [e1]',
    ),
    "a struck price in a label": (
        "<label><input type=radio> Plan <del>$10</del> $8</label>",
        'radio "Plan $10 $8" [e1]\n"$10" (struck through)',
    ),
    "what a line is not drawn through": (
        "<p style='text-decoration: line-through'>Old <b style='display: inline-block'>New</b></p>",
        '"Old" (struck through)\n"New"',
    ),
    "blank cells": (
        "<table><tr><th><th>Mon<th>Tue<tr><td><td>Free<td>Busy<tr><td><td><td></table>",
        'table\n headers: " | Mon | Tue"\n row: " | Free | Busy"',
    ),
    "a blank cell before a control": (
        "<table><tr><th>a<th>b<tr><td><td><button>Go</button></table>",
        ' row: ""\n  button "Go" [e1]',
    ),
    "a status dot": (f"<p><i style='{DOT} green'></i> api</p>", '"■ green api"'),
    "a status dot in a button": (f"<button><i style='{DOT} red'></i> db</button>", 'button "db" (■ red) [e1]'),
    "a generated status dot": (f"<style>p::before {{ content: ''; {DOT} red }}</style><p>db</p>", '"■ red db"'),
    "a dot in a colour": ("<p style='color: red'>●</p>", '"● red"'),
    "the one with another background": (
        "<div><button style='background: #06f'>Day</button><button>Week</button><button>Month</button></div>",
        'button "Day" (blue) [e1]\nbutton "Week" [e2]\nbutton "Month" [e3]',
    ),
    "stripes": (
        "<div>" + "".join(f"<button style='background: #{c}'>b</button>" for c in ("fff", "ddd") * 2) + "</div>",
        'button "b" [e1]\nbutton "b" [e2]\nbutton "b" [e3]\nbutton "b" [e4]',
    ),
    "a switch that is on": (
        f"{SWITCH}<div class='track right' onclick='1' data-icon=wifi><i class=knob></i></div>",
        'clickable ~"wifi" (looks on) [e1]',
    ),
    "a switch that is off": (
        f"{SWITCH}<div onclick='1'>Wifi <div class=track><i class=knob></i></div></div>",
        'clickable "Wifi" (looks off) [e1]',
    ),
    "a switch with a generated knob": (
        f"{SWITCH}<button class='track drawn right' data-icon=wifi></button>",
        'button ~"wifi" (looks on) [e1]',
    ),
    "a field of several lines": ("<textarea aria-label=Note></textarea>", 'textbox "Note" (aria) multiline [e1]'),
    "the last line break": ("<div style='white-space: pre-wrap'>one\ntwo\n</div>", '"one\\ntwo\\n"'),
    "ruby in a link": ("<a href=/><ruby>漢字<rt>kanji</rt></ruby></a>", 'link "漢字" [e1]\n "kanji"'),
    "the text of a button with a label": ("<label for=b>Search</label><button id=b>Go</button>", '[e1]: "Go"'),
    "a group of details without a summary": ("<details>Hidden</details>", 'button "Details" expanded=false [e1]'),
    "options of a field": (
        "<input list=d aria-label=City><datalist id=d><option>Oslo<option>Bern</datalist>",
        'options="Oslo"|"Bern"',
    ),
    "groups of options": (
        "<select><optgroup label=Red><option>Apple<option>Cherry</optgroup><option>Lime</select>",
        'options="Apple" (in "Red")|"Cherry"|"Lime"',
    ),
    "no-break spaces": ("<button>Sign&nbsp;in</button>", 'button "Sign in"'),
}


@pytest.mark.parametrize("case", CASES)
async def test_what_is_seen_is_told(world: World, case: str) -> None:
    html, told = CASES[case]
    await world.show(f"<!doctype html><body>{html}")
    assert told in await world.text()

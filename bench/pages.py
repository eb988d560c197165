"""The pages of the benchmark: functions that return the same HTML every time."""

from __future__ import annotations

import random
from collections.abc import Iterable
from html import escape

from bench.sample_text import ARTICLE, HEADLINES, Section

STORIES = 100
TABLE_ROWS = 2_000
HUGE_TABLE_ROWS = 60_000
FIRST_SCORE = 312

_SITES = ("example.org", "notes.example.net", "lab.example.edu", "blog.example.com", "archive.example.info")
_PEOPLE = ("ada", "grace", "edsger", "barbara", "donald", "frances", "ken", "radia", "tony", "lynn")
_CUSTOMERS = (
    "Northwind Traders",
    "Contoso Ltd",
    "Fabrikam Inc",
    "Tailspin Toys",
    "Litware",
    "Adventure Works",
)
_FORM_NAMES = (
    *(
        "Full name",
        "Email",
        "Birthday",
        "Country",
        "Standard",
        "Express",
        "Wrap as a gift",
        "Message",
        "Boxes",
    ),
    *("Cushioning", "Street", "City", "Postcode", "Look up", "Card number", "Expires", "Security code"),
    *("What is this?", "Terms", "Pay now", "Start again"),
)
_STATES = ("Paid", "Pending", "Overdue", "Refunded")


def names() -> dict[str, tuple[str, ...]]:
    """Return what a snapshot of each page should contain: controls, links, and some text."""
    return {
        "/small": ("Small page", "A paragraph with", "a link", "Full name", "Press me"),
        "/stories": tuple(story_title(index) for index in range(STORIES)),
        "/table": tuple(f"Edit {order_number(row)}" for row in range(1, TABLE_ROWS + 1)),
        "/huge-table": tuple(f"Edit {order_number(row)}" for row in range(1, HUGE_TABLE_ROWS + 1)),
        "/article": tuple(name for section in ARTICLE for name in section.names),
        "/form": _FORM_NAMES,
    }


def document(title: str, body: str, style: str = "", script: str = "") -> str:
    """A whole page in the standard mode, with nothing to fetch."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        '<link rel="icon" href="data:,">'
        f"<style>body{{font:16px/1.4 sans-serif;margin:1em}}{style}</style></head>"
        f"<body>{body}<script>{script}</script></body></html>"
    )


def small() -> str:
    """A quiet page: its button counts presses and shows the number at once."""
    return document(
        "Small page",
        """<main><h1>Small page</h1><p>A paragraph with <a href="/article">a link</a> in it.</p>
        <form onsubmit="return false"><label>Full name <input id="name" name="name"></label>
        <button id="press" type="button" onclick="presses += 1; count.textContent = presses">Press me</button>
        <output id="count">0</output></form></main>""",
        script="var presses = 0;",
    )


def story_title(index: int) -> str:
    """Return a headline with a number, because headlines repeat."""
    return f"{HEADLINES[index % len(HEADLINES)]} (part {index // len(HEADLINES) + 1})"


def _story(index: int, chance: random.Random) -> str:
    site = chance.choice(_SITES)
    score = FIRST_SCORE if index == 0 else chance.randint(5, 900)
    return f"""<tr class="athing" id="s{index}"><td class="rank">{index + 1}.</td>
    <td><a class="arrow" id="up{index}" title="upvote" href="/vote?id={index}"></a></td>
    <td><span class="line"><a href="https://{site}/{index}">{escape(story_title(index))}</a>
    <span class="site"> (<a href="/from?site={site}">{site}</a>)</span></span></td></tr>
    <tr><td colspan="2"></td><td class="sub"><span class="score" id="score{index}">{score} points</span> by
    <a href="/user?id={(user := chance.choice(_PEOPLE))}">{user}</a>
    <a href="/item?id={index}">{chance.randint(1, 23)} hours ago</a> |
    <a href="/hide?id={index}">hide</a> |
    <a href="/item?id={index}">{chance.randint(2, 400)}&nbsp;comments</a></td></tr>
    <tr class="gap"></tr>"""


def stories(count: int = STORIES) -> str:
    """Stories laid out like Hacker News; an upvote adds a point to its story and changes nothing else."""
    chance = random.Random(17)
    rows = "".join(_story(index, chance) for index in range(count))
    links = "|".join(f'<a href="/{name}">{name}</a> ' for name in ("new", "past", "comments", "ask", "show", "jobs"))
    return document(
        "Stories",
        f"""<center><table width="85%"><tr><td><b><a href="/stories">Stories</a></b> {links}</td></tr>
        <tr><td><table id="list">{rows}</table></td></tr></table></center>""",
        style=".arrow{display:block;width:10px;height:10px;border-bottom:10px solid #999}.gap{height:5px}",
        script="""document.getElementById("list").addEventListener("click", (event) => {
            const link = event.target.closest('a[id^="up"]');
            if (!link) return;
            event.preventDefault();
            const score = document.getElementById("score" + link.id.slice(2));
            score.textContent = parseInt(score.textContent) + 1 + " points";
        });""",
    )


def order_number(index: int) -> str:
    """Return a number of fixed width, so that none is the beginning of another."""
    return f"A-{index:05d}"


def _order(index: int, chance: random.Random) -> str:
    return (
        f"<tr><td>{order_number(index)}</td><td>{chance.choice(_CUSTOMERS)}</td>"
        f"<td>{chance.choice(_STATES)}</td><td>${chance.randint(100, 99_999) / 100:.2f}</td>"
        f"<td><button>Edit {order_number(index)}</button></td></tr>"
    )


def table(rows: int = TABLE_ROWS) -> str:
    """A table of orders with a button in every row."""
    chance = random.Random(23)
    body = "".join(_order(index, chance) for index in range(1, rows + 1))
    head = "".join(f"<th>{name}</th>" for name in ("Order", "Customer", "Status", "Amount", "Action"))
    return document(
        f"{rows} orders",
        f"<h1>{rows} orders</h1><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>",
    )


def _section(section: Section) -> str:
    paragraphs = "".join(f"<p>{paragraph}</p>" for paragraph in section.paragraphs)
    return f'<section><h2 id="{section.anchor}">{section.title}</h2>{paragraphs}</section>'


def article(sections: Iterable[Section] = ARTICLE) -> str:
    """Prose to read: headings, links in running text, a figure, a list, a quotation and some code."""
    parts = tuple(sections)
    contents = "".join(f'<li><a href="#{part.anchor}">{part.title}</a></li>' for part in parts)
    return document(
        "How lighthouses learned to speak",
        f"""<header><nav aria-label="Site"><a href="/">Home</a> <a href="/archive">Archive</a>
        <a href="/about">About</a></nav></header>
        <main><article><h1>How lighthouses learned to speak</h1>
        <p>By <a rel="author" href="/authors/m-keeper">M. Keeper</a>,
        <time datetime="2024-03-09">9 March 2024</time></p>
        <nav aria-label="Contents"><ol>{contents}</ol></nav>
        <figure><svg role="img" aria-label="A lighthouse at night" width="320" height="120"><rect width="320"
        height="120" fill="#024"/><circle cx="160" cy="40" r="12" fill="#fd6"/></svg>
        <figcaption>The lamp is the smallest part of the building.</figcaption></figure>
        {"".join(_section(part) for part in parts)}
        <blockquote><p>A light that says where you are is worth ten that say where to be.</p></blockquote>
        <pre><code>period = 15  # seconds
flashes = 3
dark = period - flashes * 0.5</code></pre>
        <ul><li>Fixed</li><li>Occulting</li><li>Isophase</li><li>Flashing</li></ul></article></main>
        <footer><small>Set in one typeface.</small> <a href="/licence">Licence</a></footer>""",
    )


def form(other_origin: str = "") -> str:
    """Every usual control, a frame of this origin, and one of `other_origin` with a frame inside it."""
    return document(
        "Checkout",
        f"""<main><h1>Checkout</h1><form onsubmit="return false"><fieldset><legend>You</legend>
        <label>Full name <input name="name" required autocomplete="name"></label>
        <label>Email <input type="email" name="email" placeholder="you@example.org"></label>
        <label>Birthday <input type="date" name="birthday"></label>
        <label for="country">Country</label><select id="country"><option>Iceland</option>
        <option selected>Norway</option>        <option>Portugal</option></select></fieldset>
        <fieldset><legend>Delivery</legend><label><input type="radio" name="speed" checked> Standard</label>
        <label><input type="radio" name="speed"> Express</label>
        <label><input type="checkbox" name="gift"> Wrap as a gift</label>
        <label>Message <textarea rows="3">Happy birthday!</textarea></label>
        <label>Boxes <input type="number" value="2" min="1"></label>
        <label>Cushioning <input type="range" value="40"></label></fieldset>
        <iframe title="Address" src="/address" width="600" height="140"></iframe>
        <iframe title="Payment" src="{escape(other_origin)}/payment" width="600" height="220"></iframe>
        <details><summary>Terms</summary><p>No returns.</p></details>
        <button type="submit" aria-describedby="note">Pay now</button>
        <span id="note">You can undo this.</span>
        <button type="reset" disabled>Start again</button></form></main>""",
    )


def address() -> str:
    """The frame of the form's own origin."""
    return document(
        "Address",
        """<form><label>Street <input name="street"></label> <label>City <input name="city"></label>
        <label>Postcode <input name="postcode"></label> <button type="button">Look up</button></form>""",
    )


def payment() -> str:
    """The frame of another origin, which holds one more."""
    return document(
        "Payment",
        """<form><label>Card number <input name="card" inputmode="numeric"></label>
        <label>Expires <input name="expires" placeholder="MM/YY"></label></form>
        <iframe title="Security" src="/security" width="500" height="100"></iframe>""",
    )


def security() -> str:
    """The frame inside the frame."""
    return document(
        "Security",
        """<label>Security code <input name="cvc" type="password"></label>
        <a href="#why">What is this?</a>""",
    )

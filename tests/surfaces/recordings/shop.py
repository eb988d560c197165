"""A recording of an order in a small shop, made by commands."""

from __future__ import annotations

from tests.site import Site
from tests.surfaces.daemon.commands import Terminal

SHOP = """<title>Shop</title><h1>Shop</h1><label>Name <input name=who></label>
<label>Tea <select name=tea><option>Assam<option>Sencha</select></label>
<label><input type=checkbox name=gift> As a gift</label>
<button onclick="done.textContent = 'Thank you, ' + document.querySelector('[name=who]').value + ': ' +
  document.querySelector('select').value + document.querySelector('[name=gift]').checked">Order</button>
<p id=done></p><a href=/thanks>Go on</a>"""


def record_order(terminal: Terminal, site: Site) -> None:
    """Record an order of Ada's as `order`, with her name as a parameter."""
    site.page("/thanks", "<title>Thanks</title><ul><li>1<li>2</ul>")
    steps = [
        """fill 'textbox "Name"' Ada""",
        """select 'combobox "Tea"' Sencha""",
        """check 'checkbox "As a gift"'""",
        """click 'button "Order"'""",
        "expect --text 'Thank you, Ada: Senchatrue' --seconds 1",
        """click 'link "Go on"'""",
        "expect --target li --count 2",
        "expect --url /thanks",
    ]
    words = [
        ("open", site.page("/", SHOP), "--quiet"),
        ("record", "order", "--param", "who=Ada"),
        ("batch", *steps),
        ("record", "stop"),
    ]
    for command in words:
        done = terminal.run(*command)
        assert done.returncode == 0, (command, done.stdout, done.stderr)


TABS = """<title>Start</title><h1>Start</h1><button onclick="done.textContent = 'Ordered'">Order</button>
<button>Order history</button><button onclick="if (confirm('Sure?')) done.textContent = 'Confirmed'">Ask</button>
<p id=done></p><p hidden>Confirmed long ago</p><a href=/second target=_blank>Open it</a>"""
SECOND = """<title>Second</title><h1>Second</h1><button onclick="this.textContent = 'Gone on'">Go on</button>
<button>Go on later</button>"""


def record_tabs(terminal: Terminal, site: Site) -> None:
    """Record, as `tour`, work in three tabs: the first, one that is opened, and one that a link opens."""
    site.page("/second", SECOND)
    words = [
        ("open", site.page("/start", TABS), "--quiet"),
        ("record", "tour"),
        ("tabs", "new", "--url", site.url("/second?new"), "--quiet"),
        ("click", 'button "Go on"', "--quiet"),
        ("tabs", "switch", "--index", "0", "--quiet"),
        ("click", 'button "Order"', "--quiet"),
        ("expect", "--text", "Ordered"),
        ("click", 'link "Open it"', "--quiet"),
        ("expect", "--url", "*/start"),
        ("click", 'button "Go on"', "--tab", "t3", "--quiet"),
        ("tabs", "close", "--tab", "t3", "--quiet"),
        ("click", 'button "Ask"', "--quiet"),
        ("dialog", "true", "--quiet"),
        ("expect", "--text", "Confirmed"),
        ("record", "stop"),
    ]
    for command in words:
        done = terminal.run(*command)
        assert done.returncode == 0, (command, done.stdout, done.stderr)

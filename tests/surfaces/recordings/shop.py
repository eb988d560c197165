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

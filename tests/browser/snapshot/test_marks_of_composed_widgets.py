"""Marks of widgets whose parts come from elsewhere: slots, pseudo-elements, labels around popups, the pointer."""

from __future__ import annotations

from tests.browser.snapshot.conftest import World

SLOTTED_DIALOG = """<!doctype html><body><button>Behind</button>
<note-dialog><div slot=head id=head>Set an alarm</div><div slot=body>It rings for a minute.</div>
<note-button slot=foot>Dismiss</note-button></note-dialog>
<script>
class NoteButton extends HTMLElement {
  constructor() { super(); this.attachShadow({mode: "open"}).innerHTML = "<button><slot></slot></button>"; }
}
class NoteDialog extends HTMLElement {
  constructor() {
    super();
    this.attachShadow({mode: "open"}).innerHTML = `<style>
      dialog { border: 0; padding: 0; background: transparent; width: 300px; position: fixed }
      .box { position: relative; display: flex; flex-direction: column; height: 200px }
      .box::before { content: ""; position: absolute; inset: 0; background: #eef }
      .inner { z-index: 1 } .hidden { display: none }
    </style><dialog aria-label="Alarm"><div class=box LISTENS><div class=inner><slot name=head></slot>
    <div><slot name=body></slot></div><slot name=foot></slot></div></div></dialog>`;
    this.shadowRoot.querySelector("dialog").showModal();
  }
}
customElements.define("note-button", NoteButton);
customElements.define("note-dialog", NoteDialog);
</script>"""


async def test_slotted_content_of_a_dialog_is_neither_folded_nor_covered(world: World) -> None:
    await world.show(SLOTTED_DIALOG.replace("LISTENS", "onclick=1"))
    text = await world.text()
    dialog = text[text.index("dialog") :]
    assert "invisible" not in dialog.split("all else")[0]
    assert '"It rings for a minute."' in dialog
    assert 'button "Dismiss" focused [' in dialog
    assert 'clickable "Set an alarm' not in text


async def test_a_slotted_text_under_a_box_is_covered(world: World) -> None:
    page = SLOTTED_DIALOG.replace("LISTENS", "").replace(".inner { z-index: 1 }", "")
    await world.show(page)
    assert '"It rings for a minute." (invisible: covered)' in await world.text()


async def test_an_icon_button_is_not_covered_by_its_own_layers(world: World) -> None:
    style = """<style>button { position: relative; width: 60px; height: 30px; border: 0 }
    button::before, button::after { content: ""; position: absolute; inset: 0; background: #36c }</style>"""
    await world.show(f"<!doctype html>{style}<button aria-label=Save></button>")
    assert 'button "Save" (aria) [e1]' in await world.text()


async def test_another_box_over_an_icon_button_still_covers_it(world: World) -> None:
    cover = "<div style='position: absolute; left: 0; top: 0; width: 200px; height: 80px; background: #36c'></div>"
    await world.show(f"<!doctype html><button aria-label=Save style='width: 60px; height: 30px'></button>{cover}")
    assert 'button "Save" (aria) (invisible: covered)' in await world.text()


async def test_a_popup_inside_a_label_does_not_mark_the_field(world: World) -> None:
    month = "<div style='position: absolute; overflow: hidden'><p>June <b>2031</b></p><button>17</button></div>"
    popup = f"<div style='display: none'>{month}</div>"
    await world.show(f"<!doctype html><label>Day <input value=1>{popup}</label>")
    assert 'textbox "Day" value="1" [e1]' in await world.text()


async def test_only_the_hidden_part_of_a_label_is_marked(world: World) -> None:
    hidden = "<span style='position: absolute; left: -9999px'>Choose a date</span>"
    await world.show(f"<!doctype html><label>Day <input value=1>{hidden}</label>")
    text = await world.text()
    assert '(invisible part: "Choose a date", off-screen)' in text
    assert "(invisible: off-screen) value" not in text


async def test_a_label_that_cannot_be_seen_marks_its_field(world: World) -> None:
    await world.show("<!doctype html><label style='color: #fff; background: #fff'>Send all <input></label>")
    assert 'textbox "Send all" (invisible: same colour)' in await world.text()


BUTTONS = """<!doctype html><style>button { background: #ddd } button:focus { background: #0a0 }
.on { background: #c00 }
</style><div><button>Fence</button><button>Gate</button><button CLASS>Shed</button></div>"""


async def test_the_colour_of_the_focus_is_not_a_state(world: World) -> None:
    await world.show(BUTTONS)
    await world.page.evaluate("document.querySelector('button').focus()")
    assert "(green)" not in await world.text()


async def test_the_colour_of_a_state_is_told_while_the_element_has_the_focus(world: World) -> None:
    await world.show(BUTTONS.replace("CLASS", "class=on").replace("button:focus { background: #0a0 }", ""))
    await world.page.evaluate("document.querySelector('.on').focus()")
    assert "(red)" in await world.text()


async def test_blank_cells_at_the_end_of_a_row_leave_no_separator(world: World) -> None:
    rows = "<tr><th>Name<th>Age<th><th></tr><tr><td>Ann<td><td>12<td></tr>"
    await world.show(f"<!doctype html><table>{rows}</table>")
    text = await world.text()
    assert '"Name | Age"' in text
    assert '"Ann |  | 12"' in text


async def test_a_menu_around_boxes_of_a_higher_layer_is_not_covered(world: World) -> None:
    box = "position: absolute; left: 0; top: 0; width: 200px; height: 90px; background: #fff"
    items = f"<div style='{box}; z-index: 20'><div role=menuitem tabindex=0>Bell</div></div>"
    menu = f"<div role=menu style='display: contents'>{items}</div>"
    await world.show(f"<!doctype html>{menu}<p style='{box}; z-index: 1'>")
    text = await world.text()
    assert "invisible" not in text
    assert 'menuitem "Bell" [e1]' in text

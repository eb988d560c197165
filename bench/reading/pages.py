"""Pages of our own for `python -m bench.reading`: contents of many kinds in the frames of many kinds of sites."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

TEXT = (
    "the old harbour was quiet in the morning and boats lay along the wall while people carried boxes of fish to the"
    " market where a woman counted them twice before she paid because the week before a box had been short and no"
    " fisherman had said a word about it although all had seen how the scale was read from the wrong side of the table"
)
WORDS = TEXT.split()


def sentences(seed: int, count: int) -> str:
    """Return sentences that differ from seed to seed."""
    made: list[str] = []
    for number in range(count):
        start = (seed * 7 + number * 11) % len(WORDS)
        words = [WORDS[(start + step * (1 + seed % 3)) % len(WORDS)] for step in range(9 + (seed + number) % 9)]
        words.insert(4, f"{words.pop(4)},")
        made.append(" ".join(words).capitalize() + f" {seed}{number}.")
    return " ".join(made)


def paragraphs(seed: int, count: int) -> str:
    return "".join(f"<p>{sentences(seed + number, 3 + number % 3)}</p>" for number in range(count))


CONTENTS = {
    "news": f"<p><b>Harbour town</b> — {sentences(1, 3)}</p>{paragraphs(2, 6)}",
    "blog": f"{paragraphs(10, 3)}<h2>What came next</h2>{paragraphs(14, 3)}"
    f"<blockquote><p>{sentences(18, 2)}</p></blockquote>",
    "docs": f"{paragraphs(20, 2)}<h2>Install</h2>"
    f"<pre><code>pip install boats\nboats --list</code></pre>"
    f"{paragraphs(23, 2)}"
    f"<h2>Options</h2><ul><li>{sentences(26, 1)}</li><li>{sentences(27, 1)}</li></ul>{paragraphs(28, 2)}",
    "forum": f"<p>{sentences(30, 4)}</p><p>{sentences(31, 5)}</p><p>{sentences(32, 4)}</p>",
    "recipe": f"{paragraphs(40, 2)}<h2>Ingredients</h2><ul><li>500 g of fish</li><li>two onions, chopped</li></ul>"
    f"<h2>Method</h2><ol><li>{sentences(42, 1)}</li><li>{sentences(43, 1)}</li><li>{sentences(44, 1)}</li></ol>",
    "wiki": f"{paragraphs(50, 2)}<table><tr><th>Year</th><th>Boats</th></tr>"
    f"<tr><td>1901</td><td>44</td></tr>"
    f"<tr><td>1950</td><td>17</td></tr></table><h2>History</h2>{paragraphs(53, 4)}",
    "product": f"<p>{sentences(60, 3)}</p><h2>Details</h2>"
    f"<ul><li>{sentences(61, 1)}</li><li>{sentences(62, 1)}</li></ul>"
    f"{paragraphs(63, 2)}",
    "short": f"<p>{sentences(70, 5)}</p>",
    "japanese": "".join(
        f"<p>{'港の朝は静かで、船が壁に沿って並び、人々が魚の箱を市場へ運んでいた。' * n}</p>" for n in (2, 3, 4, 3)
    ),
    "hebrew": "".join(f"<p>{'הנמל הישן היה שקט בבוקר, והסירות עמדו לאורך הקיר. ' * n}</p>" for n in (3, 4, 5)),
    "breaks": "<br><br>".join(sentences(80 + number, 4) for number in range(5)),
    "caption": f"{paragraphs(90, 3)}<figure><img src='/boat.jpg' alt='A boat'></figure>{paragraphs(94, 4)}",
    "links": "".join(
        f"<p>{sentences(100 + n, 3)} <a href='/other/{n}'>{sentences(120 + n, 1)}</a></p>" for n in range(6)
    ),
}
MENU = "".join(
    f"<li><a href='/{name}'>{name.title()}</a></li>" for name in ["home", "news", "sport", "culture", "shop", "about"]
)
RELATED = "".join(f"<li><a href='/r{n}'>Another story about boats, part {n}</a></li>" for n in range(8))
COMMENTS = "".join(
    f"<div class=comment><b>reader{n}</b><p>I do not agree, and here is why: {sentences(200 + n, 1)}</p></div>"
    for n in range(4)
)
FOOTER = "".join(f"<a href='/f{n}'>Footer link {n}</a> " for n in range(30))
# How sites put their content among other things.
SITES = {
    "plain": "<h1>{title}</h1>{content}",
    "article": "<header><nav><ul>{menu}</ul></nav></header><main><article><h1>{title}</h1>{content}</article>"
    "<aside><h3>Related</h3><ul>{related}</ul></aside></main><footer>{footer}</footer>",
    "banner": "<div class='cookie-banner' role=dialog><p>We value your privacy. We and our partners store cookies.</p>"
    "<button>Accept all</button></div><div id=menu><ul>{menu}</ul></div><div class=post><h1>{title}</h1>"
    "<div class=entry-content>{content}</div><div class=share>Share this: <a href=/t>T</a></div></div>"
    "<div id=comments><h3>Comments</h3>{comments}</div><div id=footer>{footer}</div>",
    "columns": "<table width=100%><tr><td width=20%><ul>{menu}</ul></td><td><h1>{title}</h1>{content}</td><td>"
    "<ul>{related}</ul></td></tr></table><p>{footer}</p>",
}


@dataclass(frozen=True)
class Page:
    """A page, and the text that a reader wants of it."""

    name: str
    html: str
    text: str


def pages() -> list[Page]:
    """Return every content in two kinds of sites, in turn."""
    sites, made = list(SITES.items()), list[Page]()
    for number, (kind, content) in enumerate(CONTENTS.items()):
        for site, frame in (sites[number % len(sites)], sites[(number + 1 + number // len(sites)) % len(sites)]):
            made.append(_page(kind, content, site, frame))
    return made


def _page(kind: str, content: str, site: str, frame: str) -> Page:
    title = f"The harbour in {kind}"
    body = frame.format(title=title, content=content, menu=MENU, related=RELATED, comments=COMMENTS, footer=FOOTER)
    head = f"<meta charset=utf-8><title>{title} | Harbour Post</title>"
    html = f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"
    return Page(f"{kind}-{site}", html, unescape(re.sub(r"<[^>]+>", " ", content)))

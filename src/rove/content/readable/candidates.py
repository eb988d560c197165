"""Finding the element that holds the main content: paragraphs give scores to the elements around them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from rove.records import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement

WEIGHT = 25
# Links within a page say less against a text than those to others.
LOCAL_LINK_SHARE = 0.3
PHRASING = frozenset(
    [
        "abbr",
        "audio",
        "b",
        "bdo",
        "br",
        "button",
        "cite",
        "code",
        "data",
        "datalist",
        "dfn",
        "em",
        "embed",
        "i",
        "img",
        "input",
        "kbd",
        "label",
        "mark",
        "math",
        "meter",
        "noscript",
        "object",
        "output",
        "progress",
        "q",
        "ruby",
        "samp",
        "script",
        "select",
        "small",
        "span",
        "strong",
        "sub",
        "sup",
        "textarea",
        "time",
        "var",
        "wbr",
    ]
)
TRANSPARENT = frozenset(("a", "del", "ins"))
MOST_LINKED = 0.25
SCORED = frozenset(["section", "h2", "h3", "h4", "h5", "h6", "p", "td", "pre"])
HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
BLOCKS = frozenset(["blockquote", "dl", "div", "img", "ol", "p", "pre", "table", "ul"])
EMPTY_IF_BLANK = frozenset({"div", "section", "header", *HEADINGS})
SHORTEST = 25
ANCESTORS = 5
TAG_SCORES = {
    **dict.fromkeys(("div",), 5),
    **dict.fromkeys(("pre", "td", "blockquote"), 3),
    **dict.fromkeys(("address", "ol", "ul", "dl", "dd", "dt", "li", "form"), -3),
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "th"), -5),
}
TOP = 5
# A candidate with so large a share of the best score counts as an alternative to it.
ALTERNATIVE = 0.75
ALTERNATIVES = 3
LONGEST_BYLINE = 100
BYLINE_STUBS = frozenset(("by", "written by", "posted by", "von", "par", "por", "di", "door", "av"))


def _any_of(words: str) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, words.split())), re.IGNORECASE)


# Beside the content of a page, unless another word says that the element holds it.
BESIDE = _any_of(
    "-ad- ad-break agegate ai2html banner breadcrumbs combx comment community cookie-consent cover-wrap disqus extra"
    " footer gdpr header legends menu pager pagination popup related remark replies rss shoutbox sidebar skyscraper"
    " social sponsor supplemental yom-remote"
)
HOLDS_CONTENT = _any_of("and article body column content main shadow")
BESIDE_ROLES = frozenset(["alert", "alertdialog", "complementary", "dialog", "menu", "menubar", "navigation"])
RAISES = _any_of("article blog body content entry h-entry hentry main page pagination post story text")
LOWERS = re.compile(
    r"-ad-|hidden|(?:^| )hid(?: |$)|banner|combx|comment|com-|contact|footer|gdpr|masthead|media|meta|outbrain|promo"
    r"|related|scroll|share|shopping|shoutbox|sidebar|skyscraper|sponsor|tags|widget",
    re.IGNORECASE,
)
BYLINE = _any_of("author byline dateline p-author writtenby")
SHARING = re.compile(r"(?:\b|_)(?:share|sharedaddy)(?:\b|_)", re.IGNORECASE)
# Videos that stand for content; other embedded documents do not.
VIDEO = re.compile(
    r"//(?:www\.)?(?:(?:dailymotion|youtube|youtube-nocookie|player\.vimeo|v\.qq)\.com|(?:archive|upload\.wikimedia)\.org"
    r"|player\.twitch\.tv)",
    re.IGNORECASE,
)
PLACEHOLDER = re.compile(
    r"(?:ad(?:vertising|vertisement)?|pub(?:licité)?|werb(?:ung)?|广告|реклама|anuncio"
    r"|(?:loading|正在加载|загрузка|chargement|cargando)(?:…|\.\.\.)?)",
    re.IGNORECASE,
)
# The comma of many scripts.
COMMA = re.compile("[,\u060c\ufe50\ufe10\ufe11\u2e41\u2e34\u2e32\uff0c]")
SENTENCE_END = re.compile(r"\.(?: |$)")


def text_of(element: HtmlElement) -> str:
    """Return the text of an element, with single spaces."""
    return " ".join(element.text_content().split())


def length_of(element: HtmlElement) -> int:
    return len(text_of(element))


def link_density(element: HtmlElement) -> float:
    """Return the share of an element's text that is linked."""
    length = length_of(element)
    if not length:
        return 0.0
    linked = 0.0
    for link in element.iter("a"):
        is_local = (link.get("href") or "").startswith("#") and len(link.get("href") or "") > 1
        linked += length_of(link) * (LOCAL_LINK_SHARE if is_local else 1)
    return linked / length


def density_of(element: HtmlElement, tags: Iterable[str]) -> float:
    """Return the share of an element's text that is in elements of these tags, each counted by itself."""
    length = length_of(element)
    inside = sum(length_of(each) for each in element.iterdescendants(*tags))
    return inside / length if length else 0.0


def class_weight(element: HtmlElement) -> int:
    """Return what the class and the id of an element say for or against it."""
    weight = 0
    for name in (element.get("class"), element.get("id")):
        if name:
            weight -= WEIGHT if LOWERS.search(name) else 0
            weight += WEIGHT if RAISES.search(name) else 0
    return weight


def has_ancestor(element: HtmlElement, tag: str, levels: int = 3) -> bool:
    """Return whether an element is within one of a tag, at most so many levels and one above it; 0 for any."""
    for level, ancestor in enumerate(element.iterancestors()):
        if levels and level > levels:
            return False
        if ancestor.tag == tag:
            return True
    return False


def is_phrasing(element: HtmlElement) -> bool:
    """Return whether an element is a part of a line of text."""
    return element.tag in PHRASING or (element.tag in TRANSPARENT and all(map(is_phrasing, element)))


def divide_at_breaks(root: HtmlElement) -> None:
    """Put what follows two line breaks or more into a paragraph."""
    # In the order of the document: the result must not depend on the order of a set.
    for parent in dict.fromkeys([br.getparent() for br in root.iter("br")]):
        if parent is not None:
            _divide(parent)


def _divide(parent: HtmlElement) -> None:
    # Goes from sibling to sibling: positions would be counted anew at each step.
    paragraph: HtmlElement | None = None
    child = next(iter(parent), None)
    while child is not None:
        following = child.getnext()
        if _begins_chain(child):
            paragraph = _replace_chain(child)
            following = paragraph.getnext()
        elif paragraph is not None and is_phrasing(child):
            paragraph.append(child)
        else:
            paragraph = None
        child = following
    if parent.tag == "p" and any(child.tag == "p" for child in parent):
        parent.tag = "div"


def _begins_chain(element: HtmlElement) -> bool:
    following = element.getnext()
    return element.tag == "br" and not (element.tail or "").strip() and following is not None and following.tag == "br"


def _replace_chain(first: HtmlElement) -> HtmlElement:
    """Replace line breaks in a row with a new paragraph that begins with the text after them."""
    paragraph = first.makeelement("p")
    first.addprevious(paragraph)
    tail = ""
    element: HtmlElement | None = first
    while element is not None and element.tag == "br" and not tail.strip():
        following = element.getnext()
        tail, element.tail = element.tail or "", None
        paragraph.getparent().remove(element)  # type: ignore[union-attr]
        element = following
    paragraph.text = tail
    return paragraph


def wrap_text(division: HtmlElement) -> None:
    """Put the text that stands beside blocks in a division into paragraphs."""
    child = next(iter(division), None)
    paragraph = _paragraph_of(division, division.text)
    if paragraph is not None:
        division.text = None
        division.insert(0, paragraph)
    while child is not None:
        following = child.getnext()
        paragraph = _wrap(child, paragraph)
        child = following


def _wrap(child: HtmlElement, paragraph: HtmlElement | None) -> HtmlElement | None:
    """Put a child into the paragraph before it if it is a part of a line; return the paragraph that goes on."""
    if is_phrasing(child):
        if paragraph is None and not _is_blank_child(child):
            paragraph = child.makeelement("p")
            child.addprevious(paragraph)
        if paragraph is not None:
            paragraph.append(child)
        return paragraph
    following = _paragraph_of(child, child.tail)
    if following is not None:
        child.tail = None
        child.addnext(following)
    return following


def _paragraph_of(division: HtmlElement, text: str | None) -> HtmlElement | None:
    if not (text or "").strip():
        return None
    paragraph = division.makeelement("p")
    paragraph.text = text
    return paragraph


def _is_blank_child(element: HtmlElement) -> bool:
    return element.tag == "br" and not (element.tail or "").strip()


def only_paragraph(division: HtmlElement) -> HtmlElement | None:
    """Return the paragraph that is all that a division holds, unless most of it is links."""
    if len(division) != 1 or division[0].tag != "p":
        return None
    if (division.text or "").strip() or (division[0].tail or "").strip():
        return None
    return division[0] if link_density(division) < MOST_LINKED else None


@dataclass(frozen=True)
class Attempt:
    """What is used against elements. Where too little is left, the next attempt uses less."""

    drops_beside: bool = True
    weighs_classes: bool = True
    cleans: bool = True


class Candidates:
    """Scores the elements of a document, which it changes."""

    def __init__(self, body: HtmlElement, title: str, attempt: Attempt, *, drops_byline: bool) -> None:
        self._body = body
        self._title = title
        self._attempt = attempt
        self._drops_byline = drops_byline
        self._drops_title = True
        self._scores: dict[HtmlElement, float] = {}

    def content(self) -> HtmlElement:
        """Return a new element with the best candidate and what belongs to it."""
        self._add_scores(self._prepare())
        self._weigh_links()
        return self._with_siblings(self._best())

    # Preparing

    def _prepare(self) -> list[HtmlElement]:
        """Remove what is beside the content; return the elements that are scored."""
        scored: list[HtmlElement] = []
        node: HtmlElement | None = self._body
        while node is not None:
            following = _after(node, self._body)
            if node is not self._body and self._is_dropped(node):
                parent = node.getparent()
                node.drop_tree()
                _drop_stub(parent)
                node = following
                continue
            if node.tag == "div":
                node = self._divided(node, scored)
            elif node.tag in SCORED:
                scored.append(node)
            node = _next(node, self._body)
        return scored

    def _divided(self, division: HtmlElement, scored: list[HtmlElement]) -> HtmlElement:
        """Put the text of a division into paragraphs; return the element to go on from."""
        wrap_text(division)
        paragraph = only_paragraph(division)
        parent = division.getparent()
        if paragraph is not None and parent is not None and division is not self._body:
            paragraph.tail = division.tail
            parent.replace(division, paragraph)
            scored.append(paragraph)
            return paragraph
        if not any(each.tag in BLOCKS for each in division.iterdescendants()):
            division.tag = "p"
            scored.append(division)
        return division

    def _is_dropped(self, element: HtmlElement) -> bool:
        names = f"{element.get('class') or ''} {element.get('id') or ''}"
        if element.get("aria-modal") == "true" and element.get("role") == "dialog":
            return True
        if self._is_byline(element, names) or self._is_title(element):
            return True
        if self._attempt.drops_beside and _is_beside(element, names):
            return True
        return element.tag in EMPTY_IF_BLANK and _is_blank(element)

    def _is_byline(self, element: HtmlElement, names: str) -> bool:
        """Return whether this is the first byline. The facts of the article give it."""
        if not self._drops_byline:
            return False
        is_named = element.get("rel") == "author" or "author" in (element.get("itemprop") or "") or BYLINE.search(names)
        if not is_named or not 0 < len(element.text_content().strip()) < LONGEST_BYLINE:
            return False
        self._drops_byline = False
        return True

    def _is_title(self, element: HtmlElement) -> bool:
        if not self._drops_title or element.tag not in ("h1", "h2"):
            return False
        if similarity(self._title, text_of(element)) <= 0.75:
            return False
        self._drops_title = False
        return True

    # Scoring

    def _add_scores(self, scored: list[HtmlElement]) -> None:
        for element in scored:
            text = text_of(element)
            if len(text) < SHORTEST or element.getparent() is None:
                continue
            score = 2 + len(COMMA.findall(text)) + min(len(text) // 100, 3)
            for level, ancestor in enumerate(islice(element.iterancestors(), ANCESTORS)):
                if ancestor.getparent() is None:
                    break
                self._scores.setdefault(ancestor, self._first_score(ancestor))
                self._scores[ancestor] += score / (1 if level == 0 else 2 if level == 1 else level * 3)

    def _first_score(self, element: HtmlElement) -> float:
        return TAG_SCORES.get(str(element.tag), 0) + (class_weight(element) if self._attempt.weighs_classes else 0)

    def _weigh_links(self) -> None:
        for element in self._scores:
            self._scores[element] *= 1 - link_density(element)

    # Choosing

    def _best(self) -> HtmlElement:
        top = sorted(self._scores, key=lambda each: -self._scores[each])[:TOP]
        if not top or top[0].tag == "body":
            return self._whole()
        best = self._higher(self._common(top))
        parent = best.getparent()
        while parent is not None and parent.tag != "body" and len(parent) == 1:
            best, parent = parent, parent.getparent()
        self._scores.setdefault(best, self._first_score(best))
        return best

    def _whole(self) -> HtmlElement:
        """Return all of the body, moved into an element of its own."""
        whole = self._body.makeelement("div")
        whole.text, self._body.text = self._body.text, None
        whole.extend(list(self._body))
        self._body.append(whole)
        self._scores[whole] = self._first_score(whole)
        return whole

    def _common(self, top: list[HtmlElement]) -> HtmlElement:
        """Return the element around several candidates that are nearly as good as the best; else the best."""
        best = top[0]
        near = [each for each in top[1:] if self._scores[each] >= ALTERNATIVE * self._scores[best]]
        if len(near) < ALTERNATIVES:
            return best
        around = [set(each.iterancestors()) for each in near]
        for ancestor in best.iterancestors():
            if ancestor.tag == "body":
                break
            if sum(ancestor in each for each in around) >= ALTERNATIVES:
                self._scores.setdefault(ancestor, self._first_score(ancestor))
                return ancestor
        return best

    def _higher(self, best: HtmlElement) -> HtmlElement:
        """Return the first ancestor with a higher score, unless scores fall far below it on the way."""
        last = self._scores[best]
        least = last / 3
        for ancestor in best.iterancestors():
            if ancestor.tag == "body":
                break
            score = self._scores.get(ancestor)
            if score is None:
                continue
            if score < least:
                break
            if score > last:
                return ancestor
            last = score
        return best

    def _with_siblings(self, best: HtmlElement) -> HtmlElement:
        parent = best.getparent()
        content = best.makeelement("div")
        siblings = [best] if parent is None else [each for each in parent if self._belongs(each, best)]
        for sibling in siblings:
            if sibling.tag not in ("div", "article", "section", "p", "ol", "ul"):
                sibling.tag = "div"
            sibling.tail = None
            content.append(sibling)
        return content

    def _belongs(self, sibling: HtmlElement, best: HtmlElement) -> bool:
        if sibling is best:
            return True
        name = best.get("class") or ""
        bonus = self._scores[best] * 0.2 if name and sibling.get("class") == name else 0
        score = self._scores.get(sibling)
        if score is not None and score + bonus >= max(10, self._scores[best] * 0.2):
            return True
        return sibling.tag == "p" and _is_sentence(sibling)


def _drop_stub(parent: HtmlElement | None) -> None:
    """Remove the word before a byline, if nothing else is left of its line."""
    if parent is not None and not len(parent) and (parent.text or "").strip().lower().rstrip(":") in BYLINE_STUBS:
        parent.text = None


def _is_sentence(paragraph: HtmlElement) -> bool:
    text, linked = text_of(paragraph), link_density(paragraph)
    if len(text) > 80:
        return linked < 0.25
    return 0 < len(text) < 80 and linked == 0 and SENTENCE_END.search(text) is not None


def _is_beside(element: HtmlElement, names: str) -> bool:
    if element.get("role") in BESIDE_ROLES:
        return True
    if element.tag in HEADINGS:
        # That of a heading says nothing against it.
        names = names.lower().replace("header", "")
    if element.tag in ("body", "a") or not BESIDE.search(names) or HOLDS_CONTENT.search(names):
        return False
    return not has_ancestor(element, "table") and not has_ancestor(element, "code")


def _is_blank(element: HtmlElement) -> bool:
    """Return whether an element holds neither text nor anything that is seen."""
    if element.text_content().strip():
        return False
    return all(each.tag in ("br", "hr") for each in element)


def _after(element: HtmlElement, root: HtmlElement) -> HtmlElement | None:
    """Return the element that follows one and all that is in it."""
    current: HtmlElement | None = element
    while current is not None and current is not root:
        following = current.getnext()
        if following is not None:
            return following
        current = current.getparent()
    return None


def _next(element: HtmlElement, root: HtmlElement) -> HtmlElement | None:
    return element[0] if len(element) else _after(element, root)


def similarity(first: str, second: str) -> float:
    """Return how much of the second text is in the first, by words."""
    words, others = _words(first), _words(second)
    if not words or not others:
        return 0.0
    unique = [word for word in others if word not in set(words)]
    return 1 - len(" ".join(unique)) / len(" ".join(others))


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"\W+", text.lower()) if word]

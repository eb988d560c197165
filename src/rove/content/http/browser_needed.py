"""Signs that an answer over HTTP is not the page that a browser would show: scripts, checks for robots."""

from __future__ import annotations

import re
import time
from itertools import dropwhile
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from rove.content.http.answer import Headers, HttpAnswer, seconds_to_wait, status_text, text_of
from rove.content.http.feeds import is_feed
from rove.records import dataclass

if TYPE_CHECKING:
    from lxml.html import HtmlElement

# Elements whose text no person reads.
UNREAD = ("script", "style", "noscript", "template", "iframe", "object", "svg", "math", "head", "title", "select")
# Elements that show something without text. A picture may stand in a page that is not there yet, to say so.
SHOWN = frozenset({"video", "canvas", "table", "form", "input", "audio", "embed", "textarea"})
PICTURES = frozenset({"img", "picture"})
# The ids of elements that frameworks put pages into.
ROOT_IDS = frozenset({
    "root", "app", "__next", "__nuxt", "___gatsby", "svelte", "q-app", "react-root", "reactroot", "app-root", "approot",
    "main-app", "application", "mount", "ember-app", "page-root", "spa", "layout-root", "redwood-app", "solid-root",
    "__docusaurus", "app-container", "app-mount", "vue-app", "ng-app", "main_app",
})  # fmt: skip
# A text in an element of a page that is not there yet: "Loading …".
LONGEST_PLACEHOLDER = 60
MOST_TEXT = 20_000
MOST_PARSED = 3_000_000
OF_HEAD = frozenset({"title", "meta", "link", "script", "style", "base", "noscript", "template"})
_SPACE = re.compile(r"\s+")
# As the HTML standard reads it: seconds, of which fractions are ignored, and an address, with or without quotes.
_REFRESH = re.compile(
    r"\s*+(?=[0-9.])([0-9]{0,6}+)[0-9.]*+(?:$|(?=[;,\s])\s*+[;,]?+\s*+(?:url\s*+=\s*+)?+"
    r"(?:\"([^\"]*+)|'([^']*+)|([^\"'].*+))?+)",
    re.IGNORECASE | re.DOTALL,
)
_MOVES = re.compile(
    r"(?:location(?:\.href)?\s*=(?!=)|location\.(?:replace|assign|reload)\s*\(|document\.forms?\[?[^;]{0,40}\.submit\()"
)

# Pages with more text than this are read as they are, also if scripts would add to them.
MOST_OF_A_SHELL = 400
# All that some pages say until their scripts have run.
_WAITING = re.compile(
    r"(?:loading|please wait|just a moment|one moment|redirecting|initiali[sz]ing).{0,30}", re.IGNORECASE
)
_NEEDS_SCRIPTS = re.compile(
    r"(?:enable|activate|requires?|need|turn on|without|support)\W.{0,40}java\s?script"
    r"|java\s?script.{0,60}(?:enabled?|required|disabled|needed|activated?|turned? on)",
    re.IGNORECASE | re.DOTALL,
)
ANY: frozenset[int] = frozenset()
REFUSED = frozenset({401, 403, 405, 429, 503})
# A check for robots has few words. An article that is about one has many.
FEW_WORDS = 1200
ANY_LENGTH = 10**9
LOOKED_AT = 200_000
# Products put the same scripts and widgets into ordinary pages. A check has no fields to fill in, and next to no words.
FIELDS = r"<textarea|<input[^<>]{0,300}type=[\"']?(?:text|email|search|tel|url|password)"
NO_WORDS = 80
# Said at the beginning: the title, or the first words of the text.
CHECKING = r"^.{0,80}(?:just a moment|one moment|verify|checking|security check|a human|a robot|attention required)"
UNNAMED = "a product that does not give its name"

# Error statuses that a server may give to programs alone. Others, such as 404, a browser would get too.
MAY_DIFFER = frozenset({401, 403, 405, 406, 408, 418, 429, 444, 999, *range(500, 600)})
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
SNIFFED = 512


@dataclass(frozen=True)
class PageFacts:
    """`text`: what a person would read, roughly. `shows`: whether there are pictures, forms or the like.

    `roots`: empty elements that scripts fill. `has_frames`: whether there are frames with an address of their own.
    `refresh`: seconds and the address of a meta element that leads elsewhere. `moves`: whether a script does.
    """

    title: str = ""
    text: str = ""
    shows: bool = False
    noscript: str = ""
    has_scripts: bool = False
    roots: tuple[str, ...] = ()
    refresh: tuple[float, str] | None = None
    moves: bool = False
    has_frames: bool = False
    has_frameset: bool = False


def page_facts(html: str, url: str) -> PageFacts:
    """Read the facts of a page."""
    root = _parsed(html)
    scripts = [script for script in root.iter("script") if _is_code(script)]
    title, noscript = _text(next(root.iter("title"), None)), " ".join(_text(each) for each in root.iter("noscript"))
    refresh, moves = _refresh(root, url), any(_MOVES.search(script.text or "") for script in scripts)
    has_frames, has_frameset = any(map(_is_frame, root.iter("iframe"))), next(root.iter("frameset"), None) is not None
    body = _body(root)
    _strip(body)
    text = _text(body)
    roots = tuple(_empty_roots(body, has_text=len(text) >= LONGEST_PLACEHOLDER))
    shows = any(each.tag in SHOWN | PICTURES for each in body.iter())
    return PageFacts(
        title, text[:MOST_TEXT], shows, noscript, bool(scripts), roots, refresh, moves, has_frames, has_frameset
    )


def _parsed(html: str) -> HtmlElement:
    from lxml import etree
    from lxml import html as lxml_html

    # As bytes, since lxml refuses text that declares an encoding; without characters at which libxml2 stops.
    data = html[:MOST_PARSED].replace("\0", "").encode("utf-8", "replace")
    parser = lxml_html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True)
    try:
        return lxml_html.document_fromstring(data, parser=parser)
    except etree.ParserError:  # there is no element
        return lxml_html.document_fromstring("<html><body></body></html>")


def _body(root: HtmlElement) -> HtmlElement:
    """Return the body. libxml2 leaves `<article>` and its like in the head, where no tag begins the body."""
    head, body = root.find("head"), root.find("body")
    if body is None:
        body = root.makeelement("body")
        root.append(body)
    misplaced = [*dropwhile(lambda child: child.tag in OF_HEAD, list(head) if head is not None else [])]
    for place, child in enumerate(misplaced):
        body.insert(place, child)
    return body


def _is_frame(frame: HtmlElement) -> bool:
    """Whether a frame shows another document, not just to browsers without scripts, and is no pixel of statistics."""
    is_for_others = any(parent.tag == "noscript" for parent in frame.iterancestors())
    is_pixel = frame.get("width") in ("0", "1") or frame.get("height") in ("0", "1")
    return (
        bool(frame.get("src") or frame.get("srcdoc")) and not is_for_others and not is_pixel and not _is_hidden(frame)
    )


def _is_code(script: HtmlElement) -> bool:
    kind = (script.get("type") or "").lower()
    is_script = not kind or "javascript" in kind or kind == "module"
    return is_script and bool(script.get("src") or (script.text or "").strip())


def _strip(body: HtmlElement) -> None:
    """Remove what no person reads."""
    from lxml import etree

    etree.strip_elements(body, *UNREAD, with_tail=False)
    for element in [each for each in body.iter(etree.Element) if _is_hidden(each)]:
        parent = element.getparent()
        if parent is not None and element is not body:
            element.text = None
            for child in list(element):
                element.remove(child)
            element.set("hidden", "")


def _is_hidden(element: HtmlElement) -> bool:
    style = (element.get("style") or "").replace(" ", "").lower()
    return element.get("hidden") is not None or "display:none" in style or "visibility:hidden" in style


def _empty_roots(body: HtmlElement, has_text: bool) -> list[str]:
    """Return the elements that frameworks fill; on a page without text, also other empty elements with an id."""
    from lxml import etree

    found: list[str] = []
    for element in body.iter(etree.Element):
        name, tag = element.get("id") or "", str(element.tag)
        is_known = name.lower() in ROOT_IDS or "-" in tag or element.get("ng-version") is not None
        is_block = bool(name) and not has_text and tag in ("div", "main", "section")
        if (is_known or is_block) and _is_empty(element):
            # Other names are the page's own words, and this is told in rove's.
            found.append(f"#{name.lower()}" if name.lower() in ROOT_IDS else "an element")
    return found[:5]


def _is_empty(element: HtmlElement) -> bool:
    if element.get("hidden") is not None or len(_text(element)) > LONGEST_PLACEHOLDER:
        return False
    return not any(each.tag in SHOWN for each in element.iter())


def _refresh(root: HtmlElement, url: str) -> tuple[float, str] | None:
    for meta in root.iter("meta"):
        # One for browsers without scripts says that the page needs them, not where it leads.
        is_for_others = any(parent.tag == "noscript" for parent in meta.iterancestors())
        if (meta.get("http-equiv") or "").lower() == "refresh" and not is_for_others:
            match = _REFRESH.match(meta.get("content") or "")
            if match:
                address = match[2] or match[3] or match[4] or ""
                return float(match[1] or 0), _joined(url, address.strip())
    return None


def _joined(base: str, address: str) -> str:
    try:
        return urljoin(base, address) if address else base
    except ValueError:
        return base


def _text(element: HtmlElement | None) -> str:
    if element is None:
        return ""
    return _SPACE.sub(" ", " ".join(str(part) for part in element.itertext() if part)).strip()


def find_emptiness(facts: PageFacts) -> str | None:
    """Return why a page needs a browser to be read; None if it does not."""
    if facts.has_frameset or (facts.has_frames and not facts.text):
        return "the page shows its text in frames"
    if not facts.has_scripts or len(facts.text) > MOST_OF_A_SHELL:
        return None
    if (not facts.text and not facts.shows) or _WAITING.fullmatch(facts.text):
        return "the page is empty until its scripts run"
    if facts.roots:
        return f"the page is empty until its scripts fill {facts.roots[0]}"
    if _NEEDS_SCRIPTS.search(facts.noscript):
        return "the page says that it needs JavaScript"
    if _NEEDS_SCRIPTS.search(facts.text):
        return "the page says that it needs JavaScript"
    return "a script of the page leads to another one" if facts.moves else None


@dataclass(frozen=True)
class WallSign:
    """One sign: all of what it names must be there. Patterns are searched for without regard to case.

    `statuses`: empty for any. `words` are searched for in the title and the text. `longest`: the most
    characters of text, as others may quote the markup. `without`: what the markup of a check does not have.
    """

    vendor: str
    statuses: frozenset[int] = ANY
    header: str = ""
    value: str = ""
    body: str = ""
    words: str = ""
    longest: int = FEW_WORDS
    without: str = ""


SIGNS = (
    WallSign("Cloudflare", header="cf-mitigated", value="challenge", longest=ANY_LENGTH),
    WallSign("Cloudflare", REFUSED, body=r"_cf_chl_opt|/cdn-cgi/challenge-platform/h/|cf-browser-verification"),
    WallSign("Cloudflare", REFUSED, body=r"cf-error-details|cf\.errors\.css", words=r"cloudflare"),
    WallSign("Cloudflare", body=r"_cf_chl_opt", longest=300),
    WallSign("Cloudflare", body=r"challenges\.cloudflare\.com/turnstile", words=CHECKING, longest=300, without=FIELDS),
    WallSign("Akamai", frozenset({403}), header="server", value="akamaighost"),
    WallSign("Akamai", REFUSED, body=r"errors\.edgesuite\.net|reference(?:&#32;&#35;| #)[0-9a-f.]{4}"),
    WallSign("Akamai", body=r"sec-if-cpt-container|/_sec/cp_challenge/|bm-verify="),
    WallSign("DataDome", REFUSED, header="x-datadome"),
    WallSign("DataDome", REFUSED, header="x-dd-b"),
    WallSign("DataDome", body=r"(?:geo|ct|interstitial)\.captcha-delivery\.com"),
    WallSign("HUMAN (PerimeterX)", REFUSED, body=r"px-captcha|window\._pxappid|captcha\.px-cdn\.net|_pxblockedurl"),
    WallSign("HUMAN (PerimeterX)", body=r"id=[\"']px-captcha", words=r"press\W+(?:and|&)\W+hold|human"),
    WallSign("Imperva", body=r"<iframe[^<>]{0,300}_incapsula_resource", longest=300),
    WallSign("Imperva", body=r"_incapsula_resource", longest=NO_WORDS),
    WallSign("Imperva", words=r"incapsula incident id"),
    WallSign("Imperva", REFUSED, header="x-iinfo"),
    WallSign("AWS WAF", header="x-amzn-waf-action", value=r"challenge|captcha", longest=ANY_LENGTH),
    WallSign("AWS WAF", body=r"awswafcookiedomainlist|captcha-sdk\.awswaf\.com|window\.gokuprops"),
    WallSign("AWS WAF", body=r"token\.awswaf\.com", longest=NO_WORDS),
    WallSign("Kasada", REFUSED, header="x-kpsdk-ct"),
    WallSign("Kasada", REFUSED, body=r"ips\.js\?[^\"'<>]{0,200}kp_uid|/149e9513-01fa-4fb0-aad4-566afd725d1b/"),
    WallSign("Vercel", header="x-vercel-mitigated", value="challenge|deny", longest=ANY_LENGTH),
    WallSign("Sucuri", body=r"sucuri_cloudproxy_js|sucuri website firewall - access denied"),
    WallSign("DDoS-Guard", REFUSED, header="server", value="ddos-guard"),
    WallSign("F5", body=r"the requested url was rejected\. please consult with your administrator"),
    WallSign("F5", body=r"window\[\"bobcmn\"\]|/TSPD/", longest=NO_WORDS),
    WallSign("Anubis", body=r"id=[\"']anubis_challenge|/\.within\.website/x/(?:cmd/anubis|xess)/"),
    WallSign("go-away", header="x-away-id"),
    WallSign(
        "hCaptcha",
        body=r"hcaptcha\.com/1/api\.js|class=[\"'][^\"'<>]{0,200}h-captcha",
        words=r"robot|human|verify|unusual",
        without=FIELDS,
    ),
    WallSign("reCAPTCHA", REFUSED, body=r"/recaptcha/(?:api|enterprise)\.js|class=[\"'][^\"'<>]{0,200}g-recaptcha"),
    WallSign(
        "reCAPTCHA",
        body=r"class=[\"'][^\"'<>]{0,200}g-recaptcha",
        words=r"unusual traffic|not a robot|are you human",
        without=FIELDS,
    ),
    # A page without a script cannot let a browser through. With so little text, these words are all of it.
    WallSign(
        UNNAMED,
        body=r"<script",
        words=r"^.{0,80}(?:enable javascript and cookies to continue|checking (?:if the site connection is secure"
        r"|your browser)|verif(?:y|ying) (?:that )?you are (?:a )?human|are you a robot\?"
        r"|please turn javascript on and reload)",
        longest=500,
        without=FIELDS,
    ),
)


def find_wall(status: int, headers: Headers, html: str, facts: PageFacts) -> str | None:
    """Return the product that checks for robots, if the answer is such a check; None if it is not."""
    return next((sign.vendor for sign in SIGNS if _shows(sign, status, headers, html[:LOOKED_AT], facts)), None)


def _shows(sign: WallSign, status: int, headers: Headers, html: str, facts: PageFacts) -> bool:
    if sign.statuses and status not in sign.statuses:
        return False
    if sign.header and (sign.header not in headers or not _has(sign.value, headers.get(sign.header))):
        return False
    if len(facts.text) > sign.longest or (sign.without and _has(sign.without, html)):
        return False
    return _has(sign.body, html) and _says(sign.words, facts)


def _says(pattern: str, facts: PageFacts) -> bool:
    """Whether the text says so, or, of a page with next to no text, its title or what it says without scripts."""
    if not pattern or _has(pattern, facts.text):
        return True
    return len(facts.text) <= FEW_WORDS // 4 and (_has(pattern, facts.title) or _has(pattern, facts.noscript))


def _has(pattern: str, text: str) -> bool:
    return not pattern or re.search(pattern, text, re.IGNORECASE | re.DOTALL) is not None


@dataclass(frozen=True)
class Escalation:
    """Why the browser is needed. `wall`: the product that checks for robots, if one does."""

    reason: str
    wall: str = ""


def is_html(answer: HttpAnswer) -> bool:
    """Whether an answer is HTML, by its type or, where the server names none, by its beginning; a feed never is."""
    if answer.media_type:
        return answer.media_type in HTML_TYPES and not is_feed(answer.media_type, answer.body)
    start = answer.body[:SNIFFED].lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<body"))


def find_escalation(answer: HttpAnswer) -> Escalation | None:
    """Return why an answer should be read with the browser; None if it is good as it is."""
    html = text_of(answer) if is_html(answer) else ""
    facts = page_facts(html, answer.url) if html else PageFacts()
    if wall := find_wall(answer.status, answer.headers, html, facts):
        return Escalation(f"{wall} checks for robots ({status_text(answer.status)})", wall)
    if html and (emptiness := find_emptiness(facts)):
        return Escalation(emptiness)
    if answer.status in MAY_DIFFER and not _asks_to_wait(answer) and not _asks_for_password(answer):
        return Escalation(f"the server answered with {status_text(answer.status)}")
    return None


def retry_after(answer: HttpAnswer) -> float | None:
    """Return the seconds after which the server wants to be asked again; None if it does not say."""
    return seconds_to_wait(answer.headers.get("retry-after"), time.time())


def _asks_to_wait(answer: HttpAnswer) -> bool:
    return answer.status in (429, 503) and bool(retry_after(answer))


def _asks_for_password(answer: HttpAnswer) -> bool:
    return answer.status == 401 and "www-authenticate" in answer.headers

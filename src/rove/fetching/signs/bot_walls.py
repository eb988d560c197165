"""Signs that a server answered with a check for robots instead of the page, by status, headers and markup."""

from __future__ import annotations

import re

from rove.fetching.http.answer import Headers
from rove.fetching.page_facts import PageFacts
from rove.validation.record import dataclass

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

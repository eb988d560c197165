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
LOOKED_AT = 200_000


@dataclass(frozen=True)
class WallSign:
    """One sign: all of what it names must be there. Patterns are searched for without regard to case.

    `statuses`: empty for any. `few_words`: only a page with little text counts, as others may quote the markup.
    """

    vendor: str
    statuses: frozenset[int] = ANY
    header: str = ""
    value: str = ""
    body: str = ""
    words: str = ""
    few_words: bool = True


SIGNS = (
    WallSign("Cloudflare", header="cf-mitigated", value="challenge", few_words=False),
    WallSign("Cloudflare", REFUSED, body=r"_cf_chl_opt|/cdn-cgi/challenge-platform/h/|cf-browser-verification"),
    WallSign("Cloudflare", REFUSED, body=r"cf-error-details|cf\.errors\.css", words=r"cloudflare"),
    WallSign("Cloudflare", body=r"_cf_chl_opt|challenges\.cloudflare\.com/turnstile", words=r"^.{0,300}$"),
    WallSign("Akamai", frozenset({403}), header="server", value="akamaighost"),
    WallSign("Akamai", REFUSED, body=r"errors\.edgesuite\.net|access denied.{0,600}reference&?\W{0,3}#"),
    WallSign("Akamai", body=r"sec-if-cpt-container|/_sec/cp_challenge/|bm-verify="),
    WallSign("DataDome", REFUSED, header="x-datadome"),
    WallSign("DataDome", REFUSED, header="x-dd-b"),
    WallSign("DataDome", body=r"(?:geo|ct|interstitial)\.captcha-delivery\.com"),
    WallSign("HUMAN (PerimeterX)", REFUSED, body=r"px-captcha|window\._pxappid|captcha\.px-cdn\.net|_pxblockedurl"),
    WallSign("HUMAN (PerimeterX)", body=r"id=[\"']px-captcha", words=r"press\W+(?:and|&)\W+hold|human"),
    WallSign("Imperva", body=r"_incapsula_resource|incapsula incident id"),
    WallSign("Imperva", REFUSED, header="x-iinfo"),
    WallSign("AWS WAF", header="x-amzn-waf-action", value=r"challenge|captcha", few_words=False),
    WallSign("AWS WAF", body=r"awswafcookiedomainlist|token\.awswaf\.com|captcha-sdk\.awswaf\.com|window\.gokuprops"),
    WallSign("Kasada", REFUSED, header="x-kpsdk-ct"),
    WallSign("Kasada", REFUSED, body=r"ips\.js\?[^\"'<>]{0,200}kp_uid|/149e9513-01fa-4fb0-aad4-566afd725d1b/"),
    WallSign("Vercel", header="x-vercel-mitigated", value="challenge|deny", few_words=False),
    WallSign("Sucuri", body=r"sucuri_cloudproxy_js|sucuri website firewall - access denied"),
    WallSign("DDoS-Guard", REFUSED, header="server", value="ddos-guard"),
    WallSign("F5", body=r"the requested url was rejected\. please consult with your administrator"),
    WallSign("F5", body=r"window\[\"bobcmn\"\]|/TSPD/"),
    WallSign("Anubis", body=r"id=[\"']anubis_challenge|/\.within\.website/x/(?:cmd/anubis|xess)/"),
    WallSign("go-away", header="x-away-id", few_words=False),
    WallSign(
        "hCaptcha",
        body=r"hcaptcha\.com/1/api\.js|class=[\"'][^\"'<>]{0,200}h-captcha",
        words=r"robot|human|verify|unusual",
    ),
    WallSign("reCAPTCHA", REFUSED, body=r"/recaptcha/(?:api|enterprise)\.js|class=[\"'][^\"'<>]{0,200}g-recaptcha"),
    WallSign(
        "reCAPTCHA", body=r"class=[\"'][^\"'<>]{0,200}g-recaptcha", words=r"unusual traffic|not a robot|are you human"
    ),
    WallSign(
        "A check of the browser",
        body="<",
        words=r"enable javascript and cookies to continue|checking (?:if the site connection is secure|your browser)"
        r"|verif(?:y|ying) (?:that )?you are (?:a )?human|are you a robot\?|please turn javascript on and reload",
    ),
)
# With so little text, words that speak of a check are the whole page.
CHECK_WORDS_ONLY = 500


def find_wall(status: int, headers: Headers, html: str, facts: PageFacts) -> str | None:
    """Return the product that checks for robots, if the answer is such a check; None if it is not."""
    return next((sign.vendor for sign in SIGNS if _shows(sign, status, headers, html[:LOOKED_AT], facts)), None)


def _shows(sign: WallSign, status: int, headers: Headers, html: str, facts: PageFacts) -> bool:
    if sign.statuses and status not in sign.statuses:
        return False
    if sign.header and (sign.header not in headers or not _has(sign.value, headers.get(sign.header))):
        return False
    said = f"{facts.title} {facts.text} {facts.noscript}"
    longest = CHECK_WORDS_ONLY if sign.body == "<" else FEW_WORDS
    if sign.few_words and len(facts.text) > longest:
        return False
    return _has(sign.body, html) and _has(sign.words, said)


def _has(pattern: str, text: str) -> bool:
    return not pattern or re.search(pattern, text, re.IGNORECASE | re.DOTALL) is not None

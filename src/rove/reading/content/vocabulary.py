"""Words in class names and ids that tell what an element holds."""

from __future__ import annotations

import re


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

"""The sections of the settings: the tables of the config file."""

from __future__ import annotations

from typing import Annotated, Literal

from rove.fields import FieldRule, Validated, arg
from rove.records import dataclass

Seconds = Annotated[float, FieldRule(gt=0)]
# The packages `rove.NAME` that hold an engine.
EngineName = Literal["chromium", "firefox", "webkit"]


@dataclass(frozen=True)
class Viewport(Validated):
    width: int = arg("Width of a new tab, in CSS pixels.", default=1280, ge=1)
    height: int = arg("Height of a new tab, in CSS pixels.", default=720, ge=1)


@dataclass(frozen=True)
class Deadlines(Validated):
    action: Seconds = arg("Seconds within which every call answers, whatever the page does.", default=15)
    settle: Seconds = arg("Most seconds to wait for a page to become quiet after an act.", default=5)
    launch: Seconds = arg("Seconds that a browser may take to start.", default=30)
    approval: Seconds = arg("Seconds that a person has to answer when asked.", default=120)
    dialog: Seconds = arg("Seconds after which a page's dialog is dismissed if it is not answered.", default=60)
    held: Seconds = arg("Seconds that an action waits while a person drives or has paused its session.", default=20)
    handoff: Seconds = arg("Seconds that a person has to take over when an agent asks for it.", default=300)
    lease: Seconds = arg(
        "Seconds without an act of theirs after which a person who drives has handed back.", default=300
    )


@dataclass(frozen=True)
class Limits(Validated):
    sessions: int = arg("Most sessions open at once.", default=8, ge=1)
    suspend_oldest: bool = arg(
        "When all sessions are taken, close the pages of the one that was unused for longest; its next call opens them "
        "again.",
        default=False,
    )
    tabs: int = arg("Most tabs open at once in one session.", default=20, ge=1)
    page_megabytes: int = arg("Most of one page that is loaded, unpacked; the rest is left out.", default=100, ge=1)
    downloads: int = arg("Most downloads that one session may make.", default=100, ge=0)
    download_megabytes: int = arg("Largest download that is kept.", default=500, ge=1)
    upload_megabytes: int = arg("Largest file that is given to a page.", default=500, ge=1)
    idle: Seconds = arg("Seconds without a call after which a session is closed.", default=1800)
    queue: int = arg("Most calls that wait in line when all sessions are taken.", default=32, ge=0)
    queue_seconds: float = arg("Seconds that a call waits in line for a session to be closed.", default=5, ge=0)
    memory_megabytes: int | None = arg(
        "Most memory that the browser may hold, all its processes together; with one empty page it holds about 200. "
        "Default: 80 % of what there is.",
        default=None,
        ge=256,
    )


@dataclass(frozen=True)
class Observing(Validated):
    budget: int = arg("Most tokens of a page's first look.", default=4000, ge=200)
    picture: int = arg("Longest side of a picture, in pixels; a larger one is scaled down.", default=1568, ge=64)
    changes: int = arg("Most tokens of what an act changed.", default=1500, ge=100)
    output: int = arg(
        "Most bytes of a value or a log that are returned as text; more is written to a file in the workspace.",
        default=20_000,
        ge=200,
    )


@dataclass(frozen=True)
class Journaling(Validated):
    file_megabytes: int = arg("Size at which a session's journal goes on in a new file.", default=16, ge=1)
    keep_files: int = arg(
        "Most full files of a session's journal that are kept, the oldest leaving first; 0 keeps all.",
        default=0,
        ge=0,
    )
    attachment_kilobytes: int = arg(
        "Largest picture or file that is written into the journal; of a larger one, only its digest.",
        default=4096,
        ge=0,
    )
    elements: bool = arg(
        "Describe the elements of each action, so that a recording can be made from the journal afterwards.",
        default=True,
    )


@dataclass(frozen=True)
class Capturing(Validated):
    video: bool = arg(
        "Record a video of every session, as a WebM file in `videos` of the workspace; needs `rove[video]`.",
        default=False,
    )
    har: bool = arg(
        "Record the network traffic of every session, as a HAR file in `har` of the workspace.", default=False
    )
    har_bodies: bool = arg("Keep the bodies of requests and responses in that file.", default=False)
    har_body_kilobytes: int = arg("Largest body that a HAR file keeps.", default=1024, ge=1)
    har_megabytes: int = arg("Size at which a HAR file takes no more requests.", default=200, ge=1)
    video_minutes: Seconds = arg("Minutes after which a video ends.", default=60)
    video_megabytes: int = arg("Size at which a video ends.", default=500, ge=1)
    video_width: int = arg("Most pixels of a video's width.", default=1280, ge=64, le=3840)
    frames_per_second: Seconds = arg("Most pictures of a second of video.", default=10, le=20)


@dataclass(frozen=True)
class Guarding(Validated):
    passwords: Literal["refuse", "allow"] = arg(
        "What may be typed into password fields: only named secrets (refuse), or any text (allow), to test one's own "
        "app.",
        default="refuse",
    )
    files: Literal["refuse", "workspace"] = arg(
        "What `file:` addresses open: nothing (refuse), or files of the workspace.", default="refuse"
    )
    safari: Literal["refuse", "unguarded"] = arg(
        "Whether the engine webkit may be Safari, on a Mac. Its driver takes no proxy: what its pages reach is NOT "
        "GUARDED.",
        default="refuse",
    )


@dataclass(frozen=True)
class Serving(Validated):
    """What `rove serve` does; nothing else reads it."""

    host: str = arg("Address that the gateway listens on.", default="127.0.0.1")
    port: int = arg("Port that the gateway listens on; 0 takes a free one.", default=18789, ge=0)
    allowed_hosts: tuple[str, ...] = arg(
        "Names under which the gateway may be reached besides localhost and its own address, such as "
        "agents.example.com or agents.example.com:443.",
        default=(),
    )
    allowed_origins: tuple[str, ...] = arg(
        "Origins of other web pages that may call the gateway, such as https://chat.example.com.", default=()
    )
    model: str | None = arg(
        "Model that answers in the chat, such as anthropic:claude-sonnet-5-5 or openai:gpt-5.6-sol. Without one, a "
        "built-in script plays a conversation.",
        default=None,
    )
    model_url: str | None = arg(
        "Base URL of a server that speaks OpenAI's protocol, such as http://127.0.0.1:11434/v1.", default=None
    )
    bash: bool = arg("Give the chat's model a tool that runs shell commands in the workspace.", default=False)
    steps: int = arg("Most requests to the model in one run of the chat.", default=40, ge=1)
    tokens: int = arg("Most tokens that one run of the chat may use.", default=200_000, ge=1000)
    session_per_connection: bool = arg(
        "Give each MCP connection a default session of its own, and close that with the connection. Otherwise a client "
        "finds its session again when it comes back.",
        default=False,
    )
    chats: int = arg(
        "Most chats that one token has open. Only those that have used the browser count for `limits.sessions` too.",
        default=100,
        ge=1,
    )
    chat_megabytes: int = arg("Most memory that the conversations of one token take.", default=64, ge=1)
    token_sessions: int | None = arg(
        "Most sessions that one token besides the owner's has open at once; by default only `limits.sessions` counts.",
        default=None,
        ge=1,
    )
    token_pages: int | None = arg(
        "Most pages that one token besides the owner's opens in an hour, by navigating and fetching.",
        default=None,
        ge=1,
    )
    token_model_tokens: int | None = arg(
        "Most tokens of the model that the chats of one token besides the owner's use in an hour.", default=None, ge=1
    )
    connections: int = arg(
        "Most WebSocket clients at once, and half as many with one token; the owner always finds a place.",
        default=100,
        ge=1,
    )
    message_kilobytes: int = arg("Largest message that a client may send.", default=1024, ge=1)
    requests_per_second: int = arg("Most requests a second from one client.", default=50, ge=1)


@dataclass(frozen=True)
class Clustering(Validated):
    """What `--cluster` does; without it nothing else here is read."""

    address: str | None = arg(
        "Ray cluster that `rove serve` runs sessions on, and that `rove cluster` and `rove doctor` ask: HOST:PORT of "
        "its head. `--cluster` is short for it. Default: none, sessions run on this machine.",
        default=None,
    )
    store: str | None = arg(
        "Where the states of sessions are saved, encrypted, for the case that their node is lost: a folder or an "
        "address that fsspec knows, such as s3://bucket/rove. Default: `cluster` in home.",
        default=None,
    )
    save_seconds: Seconds = arg("Least seconds between two saves of one session's state.", default=2)
    sessions_per_node: int = arg(
        "Most sessions of one node; its memory may allow fewer, and `limits.sessions` counts no more.",
        default=100,
        ge=1,
    )
    session_megabytes: int = arg("Memory to expect of a session until the nodes have measured it.", default=150, ge=1)
    queue: int = arg("Most new sessions that wait in line when every node is full.", default=64, ge=0)
    queue_seconds: float = arg("Seconds that a new session waits in line for room on a node.", default=5, ge=0)
    moves_per_node: int = arg(
        "Most sessions that one node opens at once of those that a lost or drained node had.", default=4, ge=1
    )
    head_seconds: Seconds = arg("Seconds to wait for the head of the cluster when `rove serve` starts.", default=60)
    wait: Seconds = arg(
        "Seconds that a cluster whose head or last node has gone is waited for, before `rove map` ends.", default=300
    )
    lease: Seconds = arg(
        "Seconds without a word from its rove process after which a node ends what it does for it.", default=60
    )


@dataclass(frozen=True)
class Fetching(Validated):
    seconds: Seconds = arg("Seconds that web_fetch may wait for an answer over HTTP, redirects included.", default=15)
    silence: Seconds = arg("Seconds without a byte from the server after which web_fetch gives up.", default=8)
    megabytes: int = arg("Most of one answer that web_fetch reads, unpacked; the rest is left out.", default=20, ge=1)
    cache_megabytes: int = arg(
        "Most that each session keeps of answers over HTTP that may be used again; 0 keeps none.", default=32, ge=0
    )
    robots: bool = arg("Let web_fetch read only what a site's robots.txt allows.", default=False)


@dataclass(frozen=True)
class Logins(Validated):
    state: str | None = arg("Saved state that the default session begins with.", default=None)
    save_on_close: bool = arg(
        "Save the default session under that name again, after calls and when it is closed.", default=False
    )
    key: Literal["auto", "keyring", "file"] = arg(
        "Where the key of saved states is: in the system keyring, in a file that its owner alone can read, or in the "
        "keyring if there is one (auto).",
        default="auto",
    )
    shared: tuple[str, ...] = arg(
        "Names of your saved states and profiles that every token of `rove serve` may use; `*` for all of them. Others "
        "are there for the owner's token alone.",
        default=(),
    )

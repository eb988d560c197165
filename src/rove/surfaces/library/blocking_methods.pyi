"""A blocking method for every action.

Written by docs/method_stubs.py from the actions: change those, then run `make docs`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from rove.actions.accessibility import Audited
from rove.actions.batch import BatchDone
from rove.actions.compare import Compared
from rove.actions.console import ConsoleLines, Evaluated, WorkerList
from rove.actions.emulation import CredentialsSet, Emulated, NetworkSwitched, Permitted, Resized, Throttled
from rove.actions.fetch import Fetched
from rove.actions.files import DownloadList, DroppedText, ImageRead, Uploaded
from rove.actions.forms import Checked, Filled, FormField, FormFilled, Selected
from rove.actions.input import Clicked, Copied, DialogAnswered, Dragged, Hovered, Pressed, Scrolled, Typed
from rove.actions.interception import RuleHeader, Rules
from rove.actions.navigation import Navigated, Visited
from rove.actions.network import HarSaved, RequestList
from rove.actions.pdf import Printed
from rove.actions.performance import Profiled, ProfileStarted, VitalsMeasured
from rove.actions.readable_text import Extracted
from rove.actions.replay import RecordedFound, Replayed
from rove.actions.screenshot import Pictured, VideosStopped, VideoStarted
from rove.actions.sessions import HandedBack, SessionClosed, SessionOpened, StatusReport, TabList
from rove.actions.snapshot import AriaSnapshotTaken, Found, OutlineTaken, SnapshotTaken
from rove.actions.states import StateDeleted, StateExported, StateList, StateLoaded, StateSaved
from rove.actions.storage import CookieList, StorageContents
from rove.actions.wait import Expected, Waited
from rove.browser.sessions import ViewportSize
from rove.content.pdf.report import PdfRead
from rove.outcome import Outcome

class BlockingMethods:
    """A method for every action, which waits for its outcome. Each returns an Outcome or raises a RoveError."""

    def navigate(
        self, url: str, wait_until: Literal["commit", "domcontentloaded", "load", "networkidle"] | None = None
    ) -> Outcome[Navigated]:
        """Go to a URL. Answers with a snapshot of the page.

        url: Address; https:// is assumed where no scheme is given.
        wait_until: Answer then; by default, when the page is quiet.
        """

    def back(self) -> Outcome[Navigated]:
        """Go back one page."""

    def forward(self) -> Outcome[Navigated]:
        """Go forward one page."""

    def reload(self) -> Outcome[Navigated]:
        """Load the page again."""

    def visit(
        self, url: str | None = None, show: Literal["text", "picture"] = "text", full_page: bool = False
    ) -> Outcome[Visited]:
        """Open an address and read or picture the page as one step, in which no other call uses the tab.

        url: Address; the page that is open if not given.
        show: The readable text of the page, or a picture of it.
        full_page: A picture of the whole page, not only of what is in view.
        """

    def snapshot(
        self,
        target: str | None = None,
        mode: Literal["full", "interactive", "viewport"] = "full",
        expand: str | None = None,
        depth: int | None = None,
        budget: int | None = None,
        links: bool = False,
        boxes: bool = False,
    ) -> Outcome[SnapshotTaken]:
        """Look at the page: an accessibility tree whose refs ([e12]) the other tools take.

        target: Only this element and what is in it.
        mode: How much of it.
        expand: Handle of what was left out, as in [expand e40:50].
        depth: How deep.
        budget: Most tokens.
        links: Show where links lead.
        boxes: Show where elements are: x,y,width,height.
        """

    def outline(self, target: str | None = None) -> Outcome[OutlineTaken]:
        """Look at the page as an outline: a line for each element, with its role, name and [attributes], and no refs.

        target: Only this element and what is in it.
        """

    def aria_snapshot(
        self,
        target: str | None = None,
        depth: int | None = None,
        boxes: bool = False,
        path: str | None = None,
        text: str | None = None,
        regex: str | None = None,
    ) -> Outcome[AriaSnapshotTaken]:
        """Look at the page as Playwright does: a YAML tree with refs; other tools take them as aria-ref=e12.

        target: Only this element and what is in it.
        depth: How deep.
        boxes: Show where elements are: [box=x,y,width,height].
        path: File in the workspace to save it to.
        text: Tell which lines have this text.
        regex: Tell which lines match this: a pattern, or /pattern/flags.
        """

    def find(
        self, text: str | None = None, regex: str | None = None, role: str | None = None, limit: int = 10
    ) -> Outcome[Found]:
        """Search the whole page, also what a snapshot left out; answers with refs and what is beside.

        text: Text, in any case.
        regex: JavaScript regular expression.
        role: Role, such as button.
        limit: Most matches.
        """

    def click(
        self,
        target: str,
        button: Literal["left", "right", "middle"] = "left",
        count: int = 1,
        modifiers: Sequence[Literal["Alt", "Control", "Meta", "Shift"]] = (),
        hold: float = 0,
    ) -> Outcome[Clicked]:
        """Click an element, or a point (x,y) of the viewport.

        target: Ref (e12), CSS selector, or role and name (button "Save").
        button: Mouse button.
        count: 2 for a double click.
        modifiers: Keys held down.
        hold: Seconds to hold it down.
        """

    def hover(self, target: str) -> Outcome[Hovered]:
        """Move the pointer over an element.

        target: Ref (e12), CSS selector, or role and name (button "Save").
        """

    def drag(self, source: str, target: str, through: Sequence[str] = (), hold: float = 0) -> Outcome[Dragged]:
        """Drag from one element, or point (x,y), onto another.

        source: Ref (e12), CSS selector, or role and name (button "Save").
        target: Ref (e12), CSS selector, or role and name (button "Save").
        through: Elements or points on the way.
        hold: Seconds to stay before moving and before dropping.
        """

    def scroll(
        self,
        target: str | None = None,
        direction: Literal["up", "down", "left", "right"] | None = None,
        amount: int | None = None,
    ) -> Outcome[Scrolled]:
        """Scroll the page, a scrollable element, or an element into view.

        target: What to scroll to, or with `direction`, in; x,y to turn the wheel there.
        direction: Down if no target.
        amount: Pixels; most of a screenful if not given.
        """

    def type(self, text: str, target: str | None = None, submit: bool = False, replace: bool = False) -> Outcome[Typed]:
        """Type text with real keystrokes, after what is there. To replace a value use fill.

        text: What to type; secret:NAME for a password.
        target: Where; what has the focus if not given.
        submit: Press Enter afterwards.
        replace: Replace what is there, at once, in the target.
        """

    def press(self, key: str, target: str | None = None, hold: float = 0) -> Outcome[Pressed]:
        """Press a key or a combination.

        key: Such as Enter, ArrowDown, a, Control+A.
        target: Element to focus first.
        hold: Seconds to hold it down.
        """

    def clipboard(self, text: str | None = None) -> Outcome[Copied]:
        """Read the session's clipboard, or put text on it. To copy, cut or paste press Control+C, X or V.

        text: Text to put on it.
        """

    def dialog(self, accept: bool, text: str | None = None, tab: str | None = None) -> Outcome[DialogAnswered]:
        """Answer the dialog that is open on the page.

        accept: True for OK, false for Cancel.
        text: Answer to a prompt.
        tab: Whose dialog, if several are open.
        """

    def fill(self, target: str, value: str) -> Outcome[Filled]:
        """Replace the value of a field.

        target: Ref (e12), CSS selector, or role and name (button "Save").
        value: New value; dates as 2026-01-31; empty to clear; secret:NAME for a password.
        """

    def fill_form(self, fields: Sequence[FormField | Mapping[str, Any]]) -> Outcome[FormFilled]:
        """Fill in several fields in one call.

        fields: Fields, in order.
        """

    def select(self, target: str, values: Sequence[str]) -> Outcome[Selected]:
        """Choose options of a select, combobox or listbox, by label or value.

        target: Ref (e12), CSS selector, or role and name (button "Save").
        values: Labels or values.
        """

    def check(self, target: str, checked: bool = True) -> Outcome[Checked]:
        """Tick or untick a checkbox, radio button or switch.

        target: Ref (e12), CSS selector, or role and name (button "Save").
        checked: False to untick.
        """

    def wait(
        self,
        text: str | None = None,
        gone: str | None = None,
        selector: str | None = None,
        url: str | None = None,
        load: Literal["DOMContentLoaded", "load"] | None = None,
        navigation: bool = False,
        seconds: float | None = None,
    ) -> Outcome[Waited]:
        """Wait until all that is given holds.

        text: Text that appears.
        gone: Text that disappears.
        selector: CSS selector that becomes visible.
        url: Part of the URL, or a pattern with *.
        load: Load state.
        navigation: Another page than before the last act.
        seconds: A time, if nothing else is given; else the most to wait.
        """

    def expect(
        self,
        text: str | None = None,
        gone: str | None = None,
        url: str | None = None,
        target: str | None = None,
        count: int | None = None,
        seconds: float = 5,
    ) -> Outcome[Expected]:
        """Fail unless all that is given holds, or comes to hold in time. Recordings have it as an assertion.

        text: Text that the page shows.
        gone: Text that it does not show.
        url: Part of the URL, or a pattern with *.
        target: Element that is there; with `count`, so many of them.
        count: How many elements the target means; 0 for none.
        seconds: Most seconds to wait for it.
        """

    def screenshot(
        self,
        target: str | None = None,
        full_page: bool = False,
        annotate: bool = False,
        if_changed: bool = False,
        format: Literal["png", "jpeg", "webp"] = "png",
        path: str | None = None,
        max_side: int | None = None,
        full_size: bool = False,
        scale: Literal["css", "device"] = "device",
    ) -> Outcome[Pictured]:
        """Take a picture of the viewport, the full page or an element. To act on the page use snapshot.

        target: Element to picture.
        full_page: The whole page, not only what is in view.
        annotate: Label what can be pressed with its ref.
        if_changed: No picture if it would be the same as the last.
        format: Image format.
        path: File in the workspace to save it to; a folder if it ends with /.
        max_side: Longest side, in pixels.
        full_size: Do not scale the file down, only the picture in the answer.
        scale: Pixels of CSS, or those of a denser screen.
        """

    def start_video(self, name: str | None = None, tab: str | None = None) -> Outcome[VideoStarted]:
        """Record a video of what the session shows, as a WebM file, until stop_video or the end of the session.

        name: Name of the file.
        tab: Tab to record; by default whichever is current.
        """

    def stop_video(self) -> Outcome[VideosStopped]:
        """End the videos of the session, and tell where the files are."""

    def extract(
        self,
        target: str | None = None,
        mode: Literal["text", "html", "attribute", "readable", "rows", "tables", "metadata"] = "text",
        attribute: str | None = None,
        all: bool = False,
        structure: bool = False,
        format: Literal["text", "markdown", "html"] = "markdown",
        pages: int = 1,
        max_characters: int = 100000,
        schema: Mapping[str, Any] | None = None,
        csv: str | None = None,
    ) -> Outcome[Extracted]:
        """Read text, HTML or an attribute of an element or the page; or its main content, readable.

        target: Which element; the page if not given.
        mode: What to read. Rows needs a `schema`; tables offers some.
        attribute: Name, with mode attribute.
        all: Every match, not just one.
        structure: Set paragraphs apart, and mark items of lists.
        format: Of mode readable.
        pages: With mode readable: join up to so many pages of one article.
        max_characters: With mode readable: the most characters.
        schema: With mode rows: CSS selectors of the rows and fields, or table headers, as JSON; mode tables offers
            some.
        csv: With mode rows: also write all rows to this file of the workspace.
        """

    def console(
        self,
        level: Literal["debug", "info", "warning", "error"] = "debug",
        limit: int = 50,
        clear: bool = False,
        characters: int = 12000,
    ) -> Outcome[ConsoleLines]:
        """Read the console of the tab and its workers, uncaught errors included.

        level: This and worse.
        limit: Most entries, the latest ones.
        clear: Forget all entries after this.
        characters: Most characters.
        """

    def evaluate(self, expression: str, target: str | None = None, await_promise: bool = True) -> Outcome[Evaluated]:
        """Run JavaScript in the page and return its value.

        expression: Expression, or a function, which is given the element.
        target: Element to hand to the function.
        await_promise: Wait for a promise.
        """

    def workers(
        self,
        operation: Literal["list", "inspect", "update", "stop", "unregister", "bypass", "use"] = "list",
        url: str | None = None,
    ) -> Outcome[WorkerList]:
        """List workers and stop them; inspect, update or unregister service workers, or have the tab bypass those.

        operation: `use` ends a bypass; reload the page after a change.
        url: Part of the worker's address; all if not given.
        """

    def status(self) -> Outcome[StatusReport]:
        """Tell which sessions and tabs are open and where they are."""

    def open_session(
        self,
        name: str | None = None,
        state: str | None = None,
        save_on_close: bool = False,
        headless: bool | None = None,
        viewport: ViewportSize | None = None,
        engine: Literal["chromium", "firefox", "webkit"] | None = None,
        start: bool = False,
        video: bool = False,
        har: bool = False,
        must_be_new: bool = False,
        profile: str | None = None,
    ) -> Outcome[SessionOpened]:
        """Open a session of its own, with no cookies or storage of others.

        name: Name to use as `session`; made up if not given.
        state: Saved state to begin with.
        save_on_close: Save the session as `state` after calls, and when it is closed.
        headless: Without a window, or with one.
        viewport: Size of its tabs.
        engine: Browser engine; the one that is set if not given.
        start: Start its browser now, not with the first call.
        video: Record a video of it.
        har: Record its network traffic as HAR.
        must_be_new: Refuse a name that is open already.
        profile: Profile, which a browser of its own keeps.
        """

    def close_session(self, name: str | None = None) -> Outcome[SessionClosed]:
        """Close a session and forget its cookies and storage, unless they are saved.

        name: Which; the one of this call if not given.
        """

    def tabs(
        self,
        operation: Literal["list", "new", "switch", "close"] = "list",
        tab: str | None = None,
        url: str | None = None,
        index: int | None = None,
        at_least_one: bool = False,
    ) -> Outcome[TabList]:
        """List, open, switch or close tabs.

        operation: What to do.
        tab: Which tab, with switch and close.
        url: Address for a new tab.
        index: Which tab, by its place in the list, from 0.
        at_least_one: Open an empty tab if there is none.
        """

    def handoff(self, reason: str, timeout: float | None = None) -> Outcome[HandedBack]:
        """Ask a person to do something in this tab (log in, solve a captcha, pay), and wait until they hand back.

        reason: What to do.
        timeout: Seconds to wait for them.
        """

    def audit(
        self,
        target: str | None = None,
        level: Literal["a", "aa", "aaa"] | None = None,
        tags: Sequence[str] = (),
        rules: Sequence[str] = (),
        without: Sequence[str] = (),
        uncertain: bool = False,
        limit: int = 5,
        budget: int = 3000,
        path: str | None = None,
    ) -> Outcome[Audited]:
        """Check the page and its frames for accessibility faults with axe-core: which elements, and how to mend them.

        target: Only this element and what is in it.
        level: Only rules of WCAG up to this level.
        tags: Only rules with one of these tags, such as best-practice.
        rules: Only these rules, such as color-contrast; with tags or level, these too.
        without: Not these rules.
        uncertain: Tell also what a person has to check.
        limit: Most elements told of each rule.
        budget: Most tokens.
        path: File in the workspace for all of it, as JSON.
        """

    def batch(self, steps: Sequence[Mapping[str, Any]]) -> Outcome[BatchDone]:
        """Run several actions in order, within one `timeout`; stop at the first that fails.

        steps: In order.
        """

    def compare(
        self,
        name: str,
        target: str | None = None,
        full_page: bool = False,
        mask: Sequence[str] = (),
        threshold: float = 0.1,
        max_pixels: int = 0,
        max_share: float = 0.0,
        update: bool = False,
        fail: bool = False,
    ) -> Outcome[Compared]:
        """Compare how the page looks with a picture kept in the workspace; the first call keeps it.

        name: Name of the picture: baselines/NAME.png.
        target: Only this element.
        full_page: The whole page, not only what is in view.
        mask: Elements to leave out, such as clocks and adverts.
        threshold: How far colours may be apart to count as the same.
        max_pixels: How many pixels may differ.
        max_share: Which share of the pixels may differ, such as 0.01.
        update: Keep this picture as the baseline from now on.
        fail: An error if it does not match, or if there is no baseline.
        """

    def emulate(
        self,
        device: Literal[
            "iPhone SE",
            "iPhone 16e",
            "iPhone 17",
            "iPhone 17 Pro Max",
            "iPad",
            "iPad Pro 13",
            "Pixel 10",
            "Galaxy S25",
            "Galaxy Tab S10+",
            "MacBook Air 13",
            "Windows laptop",
            "Desktop 1080p",
        ]
        | None = None,
        landscape: bool = False,
        width: int | None = None,
        height: int | None = None,
        density: float | None = None,
        mobile: bool | None = None,
        touch: bool | None = None,
        user_agent: str | None = None,
        latitude: float | None = None,
        longitude: float | None = None,
        accuracy: float = 10,
        locale: str | None = None,
        time_zone: str | None = None,
        color_scheme: Literal["light", "dark"] | None = None,
        reduced_motion: bool | None = None,
        forced_colors: Literal["active", "none"] | None = None,
        contrast: Literal["more", "no-preference"] | None = None,
        media: Literal["screen", "print"] | None = None,
        clear: Sequence[Literal["color_scheme", "reduced_motion", "forced_colors", "contrast", "media"]] = (),
        reset: bool = False,
    ) -> Outcome[Emulated]:
        """Show pages another device, place, language or preference, in all tabs of the session. What is not given
            stays.

        device: Sets size, density, touch and user agent.
        landscape: Turn the device.
        width: CSS pixels; with height.
        height: CSS pixels; with width.
        density: Device pixels for each CSS pixel.
        mobile: Heed the viewport meta tag, as phones do.
        touch: A touch screen.
        user_agent: User agent; client hints follow it.
        latitude: Degrees; pages need the permission geolocation.
        longitude: Degrees.
        accuracy: Metres.
        locale: Such as de-DE.
        time_zone: Such as Europe/Berlin.
        color_scheme: What the user prefers.
        reduced_motion: Whether the user prefers less motion.
        forced_colors: Whether colours are forced.
        contrast: What contrast the user prefers.
        media: CSS media type.
        clear: Preferences to emulate no longer.
        reset: End what is emulated before what is given here begins.
        """

    def resize(self, width: int, height: int) -> Outcome[Resized]:
        """Change the size of the tab's viewport.

        width: CSS pixels.
        height: CSS pixels.
        """

    def offline(self, offline: bool = True) -> Outcome[NetworkSwitched]:
        """Take the session's network away, or give it back.

        offline: False to be online again.
        """

    def throttle(
        self,
        network: Literal["none", "slow-3g", "slow-4g", "fast-4g"] = "none",
        latency: float | None = None,
        download: float | None = None,
        upload: float | None = None,
        cpu: float = 1,
    ) -> Outcome[Throttled]:
        """Slow down the session's network and scripts. Without arguments, end that.

        network: A kind of network.
        latency: Milliseconds added to each request.
        download: Kilobits per second.
        upload: Kilobits per second.
        cpu: How many times slower scripts run.
        """

    def permissions(
        self,
        origin: str | None = None,
        names: Sequence[
            Literal[
                "accelerometer",
                "ambient-light-sensor",
                "background-sync",
                "geolocation",
                "gyroscope",
                "idle-detection",
                "magnetometer",
                "midi",
                "notifications",
                "payment-handler",
                "persistent-storage",
                "screen-wake-lock",
                "storage-access",
                "window-management",
            ]
        ] = (),
    ) -> Outcome[Permitted]:
        """Set the permissions that pages of one origin have; all others are denied. Without an origin, list them.

        origin: Which pages.
        names: All that it may do from now on; none takes them back.
        """

    def credentials(
        self, origin: str, username: str | None = None, password: str | None = None
    ) -> Outcome[CredentialsSet]:
        """Answer a server that asks for a password in the browser's own prompt (HTTP authentication).

        origin: The server.
        username: User name; none to forget the credentials.
        password: secret:NAME, a secret that the owner has bound to the origin.
        """

    def web_fetch(
        self,
        url: str,
        format: Literal["text", "markdown", "html"] = "markdown",
        max_characters: int = 20000,
        browser: Literal["auto", "never", "always"] = "auto",
        pages: int = 1,
    ) -> Outcome[Fetched]:
        """Read an address: article, PDF, feed, JSON, picture or text. Over HTTP; in the browser where a page needs
            one.

        url: Address; https:// is assumed where no scheme is given.
        format: Format of articles.
        max_characters: Most characters of text.
        browser: Use the browser where HTTP does not do (auto), never, or always.
        pages: Read up to so many pages of an article that goes on.
        """

    def upload(
        self,
        target: str | None = None,
        paths: Sequence[str] = (),
        drop: bool = False,
        texts: Sequence[DroppedText | Mapping[str, Any]] = (),
    ) -> Outcome[Uploaded]:
        """Give files of the workspace to a file input, to a button that opens a chooser, or to a drop zone.

        target: Where; the input whose file chooser is open if not given.
        paths: Paths in the workspace; empty to take files back.
        drop: Drop them on the target.
        texts: Texts to drop with them.
        """

    def downloads(self, wait: bool = False) -> Outcome[DownloadList]:
        """List the files that this tab has downloaded, with their paths in the workspace.

        wait: Wait until none is under way, also one whose server has not answered yet.
        """

    def read_image(self, path: str, max_side: int | None = None) -> Outcome[ImageRead]:
        """Read an image file of the workspace: PNG, JPEG, GIF, WebP or HEIC. A large one is scaled down.

        path: Path in the workspace.
        max_side: Longest side, in pixels.
        """

    def intercept(
        self,
        operation: Literal["add", "list", "remove"] = "add",
        url: str | None = None,
        rule: Literal["block", "answer", "change"] = "answer",
        method: str | None = None,
        type: str | None = None,
        status: int = 200,
        headers: Sequence[RuleHeader | Mapping[str, Any]] = (),
        body: str | None = None,
        number: int | None = None,
    ) -> Outcome[Rules]:
        """Block, answer (a mocked API) or change requests of all tabs by a rule; list or remove rules.

        The newest rule that matches counts. WebSockets are not intercepted.

        operation: What to do.
        url: Such as https://api.example.com/v1/*; only to block, * may be in the host.
        rule: What is done with the requests.
        method: Only requests of this method.
        type: Only these: document, script, stylesheet, image, font, media, fetch or xhr.
        status: With answer.
        headers: Of the answer; with change, set in the request.
        body: Of the answer; with change, sent instead.
        number: Which rule, with remove; all if not given.
        """

    def network(
        self,
        request: int | None = None,
        body: bool = False,
        url: str | None = None,
        type: str | None = None,
        failed: bool = False,
        regex: str | None = None,
        limit: int = 50,
        save: bool = False,
        characters: int | None = None,
    ) -> Outcome[RequestList]:
        """List the tab's latest requests, or show one of them with its headers.

        request: Number of the one to show.
        body: Show its bodies too; what is long goes to a file.
        url: Part of the URL, or a pattern with *.
        type: Such as document, script, fetch, xhr, image.
        failed: Only failures and HTTP errors.
        regex: JavaScript pattern that the URL matches.
        limit: Most requests, the latest ones.
        save: Write a long list to a file, as JSON.
        characters: Most characters of the list, or of a body.
        """

    def save_har(self, name: str | None = None, tab: str | None = None, bodies: bool = False) -> Outcome[HarSaved]:
        """Save the latest requests of the session, or of one tab, as a HAR file.

        name: Name of the file.
        tab: Only of this tab.
        bodies: Keep the bodies that the browser still has.
        """

    def pdf(
        self,
        name: str | None = None,
        path: str | None = None,
        paper: Literal["a3", "a4", "a5", "letter", "legal", "tabloid"] = "a4",
        landscape: bool = False,
        background: bool = False,
        pages: str | None = None,
    ) -> Outcome[Printed]:
        """Print the page to a PDF file in the workspace.

        name: File name; the page's title if not given.
        path: File in the workspace to write instead; a folder if it ends with /.
        paper: Paper size.
        landscape: Turn the paper.
        background: Print background colours and images.
        pages: Which, such as 1-3,5.
        """

    def read_pdf(
        self,
        path: str,
        pages: str | None = None,
        images: bool = False,
        password: str | None = None,
        max_characters: int = 20000,
    ) -> Outcome[PdfRead]:
        """Read a PDF file of the workspace: text by page with tables, outline, links, form fields; pictures of pages.

        path: Path in the workspace.
        pages: Which pages: 1-3,5 or 8-. All by default.
        images: Also pictures of the pages, at most 5.
        password: Password of a locked file, as secret:NAME if there is one.
        max_characters: Most text to return.
        """

    def web_vitals(self) -> Outcome[VitalsMeasured]:
        """Read how fast the page was until now: its Web Vitals (LCP, CLS, INP, FCP, TTFB) and long tasks."""

    def profile(self, name: str = "profile") -> Outcome[Profiled]:
        """Load the page again and record it: a trace for Chrome's DevTools, the three costliest things, Web Vitals.

        name: Name of the file: traces/NAME.json.
        """

    def profile_start(self) -> Outcome[ProfileStarted]:
        """Start to record what the page does, until profile_stop. To record how it loads use profile."""

    def profile_stop(self, name: str = "profile") -> Outcome[Profiled]:
        """Stop recording: a trace for Chrome's DevTools, and the three costliest things.

        name: Name of the file: traces/NAME.json.
        """

    def find_recorded(self, element: Mapping[str, Any]) -> Outcome[RecordedFound]:
        """Find the element that a recording describes: by ref, by role and name, else by what is around it.

        element: The element, as a recording's file describes it, as JSON.
        """

    def replay(
        self, name: str, set: Sequence[str] = (), update: bool = False, trace: bool = False
    ) -> Outcome[Replayed]:
        """Run a recording again, without a model; stop where an element is missing or ambiguous.

        name: Name of the recording.
        set: Values of its parameters, such as query=tea.
        update: Keep what was healed in the recording's file, if all went well.
        trace: Keep pictures of this run, which an export as a trace then shows.
        """

    def save_state(self, name: str) -> Outcome[StateSaved]:
        """Save the session's logins under a name, which a new session can be opened with, as `state`.

        name: Name of the state; one of that name is replaced.
        """

    def load_state(self, name: str) -> Outcome[StateLoaded]:
        """Replace the session's cookies and storage by those of a saved state, and load its tabs anew.

        name: Name of the state.
        """

    def states(self, name: str | None = None) -> Outcome[StateList]:
        """Tell which states are saved that the session may use: their names, origins, counts and dates, never a value.

        name: One state, with a line for each origin; all of them if not given.
        """

    def delete_state(self, name: str) -> Outcome[StateDeleted]:
        """Delete a saved state for good.

        name: Name of the state.
        """

    def import_state(self, name: str, path: str) -> Outcome[StateSaved]:
        """Save the content of a Playwright storage_state file under a name.

        name: Name of the state; one of that name is replaced.
        path: JSON file in the workspace.
        """

    def export_state(self, name: str) -> Outcome[StateExported]:
        """Write a saved state to a file in the workspace, not encrypted, as Playwright's storage_state.

        name: Name of the state.
        """

    def cookies(
        self,
        operation: Literal["list", "get", "set", "delete", "clear"] = "list",
        name: str | None = None,
        value: str | None = None,
        subdomains: bool = False,
        path: str | None = None,
        seconds: float | None = None,
        http_only: bool = False,
        secure: bool = False,
        same_site: Literal["strict", "lax", "none"] | None = None,
    ) -> Outcome[CookieList]:
        """List, read, set or delete the cookies of the page. Values that scripts cannot read are left out.

        operation: `get` shows one with its value; `clear` deletes all.
        name: Which cookie.
        value: Value to set.
        subdomains: Set it for the subdomains of the page's host too.
        path: Path to set it for.
        seconds: How long it lasts; until the session ends if not given.
        http_only: For `set`: hide it from scripts. For `get`: read a value that is hidden from them, if a person
            allows it.
        secure: Send it over https only.
        same_site: When other sites' pages send it.
        """

    def storage(
        self,
        area: Literal["local", "session", "indexeddb", "cache"] = "local",
        operation: Literal["list", "get", "set", "delete", "clear"] = "list",
        key: str | None = None,
        value: str | None = None,
        database: str | None = None,
        store: str | None = None,
        limit: int = 50,
    ) -> Outcome[StorageContents]:
        """List, read, set or delete what the page's origin stores.

        area: Which storage.
        operation: What to do.
        key: Name of the item, key of the record, or URL in a cache.
        value: Value to set; JSON for IndexedDB.
        database: Database, or cache.
        store: Object store of the database.
        limit: Most entries.
        """

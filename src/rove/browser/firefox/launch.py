"""Starting the process of a Firefox, with its run folder, its preferences and a watchdog."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Mapping
from pathlib import Path

from rove.browser.firefox.install import Installation
from rove.browser.firefox.profiler import FOLDER_VARIABLE
from rove.browser.shared import process as shared_process
from rove.browser.shared import watchdog
from rove.browser.shared.process import ChildProcess, RunFolder, reserved_port
from rove.patterns import pattern

Preference = bool | int | str

# Firefox sends no requests of its own: no updates, no reports, no lists, no checks of the connection.
_NO_BACKGROUND_REQUESTS: Mapping[str, Preference] = {
    "app.normandy.enabled": False,
    "app.shield.optoutstudies.enabled": False,
    "app.update.auto": False,
    "app.update.disabledForTesting": True,
    "browser.contentblocking.report.lockwise.enabled": False,
    "browser.discovery.enabled": False,
    "browser.ml.enable": False,
    "browser.newtabpage.activity-stream.feeds.system.topstories": False,
    "browser.newtabpage.activity-stream.telemetry": False,
    "browser.newtabpage.enabled": False,
    "browser.ping-centre.telemetry": False,
    "browser.region.network.url": "",
    "browser.region.update.enabled": False,
    "browser.safebrowsing.blockedURIs.enabled": False,
    "browser.safebrowsing.downloads.enabled": False,
    "browser.safebrowsing.downloads.remote.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.safebrowsing.provider.google4.updateURL": "",
    "browser.safebrowsing.provider.google5.updateURL": "",
    "browser.safebrowsing.provider.mozilla.updateURL": "",
    "browser.search.geoSpecificDefaults": False,
    "browser.search.suggest.enabled": False,
    "browser.search.update": False,
    "browser.topsites.contile.enabled": False,
    "browser.translations.enable": False,
    "browser.urlbar.quicksuggest.enabled": False,
    "browser.urlbar.speculativeConnect.enabled": False,
    "browser.urlbar.suggest.searches": False,
    "browser.places.speculativeConnect.enabled": False,
    "captivedetect.canonicalURL": "",
    "datareporting.healthreport.uploadEnabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "datareporting.usage.uploadEnabled": False,
    "doh-rollout.disable-heuristics": True,
    "dom.push.connection.enabled": False,
    "dom.push.enabled": False,
    "dom.push.serverURL": "",
    "extensions.blocklist.enabled": False,
    "extensions.getAddons.cache.enabled": False,
    "extensions.systemAddon.update.enabled": False,
    "extensions.update.enabled": False,
    "geo.provider.network.url": "",
    "identity.fxaccounts.enabled": False,
    "lightweightThemes.update.enabled": False,
    "media.gmp-manager.updateEnabled": False,
    "media.gmp-manager.url": "data:text/plain,",
    "media.gmp-provider.enabled": False,
    "messaging-system.rsexperimentloader.enabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.dns.native_https_query": False,
    "nimbus.rollouts.enabled": False,
    "security.OCSP.enabled": 0,
    "security.remote_settings.crlite_filters.enabled": False,
    "security.remote_settings.intermediates.enabled": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "services.sync.enabled": False,
    "toolkit.telemetry.archive.enabled": False,
    "toolkit.telemetry.enabled": False,
    "toolkit.telemetry.server": "",
    "toolkit.telemetry.unified": False,
    "toolkit.telemetry.updatePing.enabled": False,
}
# Measured with a page that tries every kind of request: without these, some bypass the proxy.
_NO_PROXY_BYPASS: Mapping[str, Preference] = {
    # Firefox would reach loopback addresses without the proxy.
    "network.proxy.allow_hijacking_localhost": True,
    "network.proxy.no_proxies_on": "",
    # What the proxy refuses would be tried again without it.
    "network.proxy.failover_direct": False,
    "network.proxy.allow_bypass": False,
    "network.proxy.enable_wpad_over_dhcp": False,
    # Names are resolved by the proxy alone.
    "network.proxy.socks_remote_dns": True,
    "network.proxy.socks5_remote_dns": True,
    "network.trr.mode": 5,
    "network.dns.disablePrefetch": True,
    "network.dns.disablePrefetchFromHTTPS": True,
    "network.dns.upgrade_with_https_rr": False,
    "network.dns.use_https_rr_as_altsvc": False,
    "network.dns.echconfig.enabled": False,
    "network.predictor.enabled": False,
    "network.prefetch-next": False,
    "network.preconnect": False,
    "network.http.speculative-parallel-limit": 0,
    "network.early-hints.preconnect.enabled": False,
    # Over UDP, there is no proxy.
    "network.http.http3.enable": False,
    "network.http.altsvc.enabled": False,
    "network.http.altsvc.oe": False,
    "network.webtransport.enabled": False,
    "media.peerconnection.ice.proxy_only": True,
    "media.peerconnection.ice.proxy_only_if_behind_proxy": True,
    "media.peerconnection.ice.obfuscate_host_addresses": False,
    "media.peerconnection.ice.no_host": True,
    "media.peerconnection.ice.default_address_only": True,
    "media.peerconnection.use_document_iceservers": True,
    # No discovery of devices in the local network.
    "browser.casting.enabled": False,
    "dom.presentation.enabled": False,
    "network.mdns.enabled": False,
    "network.file.disable_unc_paths": True,
    "network.gio.supported-protocols": "",
}
# A page behaves the same way whether or not its window is visible, and nothing waits for a person at the window.
_SAME_BEHAVIOUR: Mapping[str, Preference] = {
    "app.normandy.first_run": False,
    "browser.aboutwelcome.enabled": False,
    "browser.bookmarks.restore_default_bookmarks": False,
    "browser.cache.disk.enable": False,
    # Favicons are shown to no one.
    "browser.chrome.site_icons": False,
    # Each page has a window of its own: one in a tab that is not selected would be hidden, and slowed down.
    "browser.link.open_newwindow": 2,
    "browser.link.open_newwindow.restriction": 0,
    "browser.link.open_newwindow.override.external": 2,
    "browser.download.always_ask_before_handling_new_types": False,
    "browser.download.manager.addToRecentDocs": False,
    "browser.download.open_pdf_attachments_inline": False,
    "browser.sessionstore.enabled": False,
    "browser.sessionstore.interval": 86_400_000,
    "browser.sessionstore.resume_from_crash": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage": "about:blank",
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.page": 0,
    "browser.startup.firstrunSkipsHomepage": True,
    "browser.startup.preXulSkeletonUI": False,
    "browser.tabs.animate": False,
    "browser.tabs.remote.unloadDelayMs": 0,
    "browser.tabs.unloadOnLowMemory": False,
    "browser.uitour.enabled": False,
    "browser.vpn_promo.enabled": False,
    # A page keeps its process alive and answers where it is not shown.
    "devtools.jsonview.enabled": False,
    "dom.disable_open_during_load": False,
    "dom.ipc.processPriorityManager.enabled": False,
    "dom.ipc.processPrelaunch.enabled": False,
    "dom.ipc.keepProcessesAlive.web": 0,
    "dom.ipc.reportProcessHangs": False,
    "dom.max_script_run_time": 0,
    "dom.max_chrome_script_run_time": 0,
    "dom.min_background_timeout_value": 4,
    "dom.min_background_timeout_value_without_budget_throttling": 4,
    "dom.timeout.enable_budget_timer_throttling": False,
    "dom.timeout.throttling_delay": -1,
    "dom.security.https_first": False,
    "dom.security.https_first_schemeless": False,
    "dom.security.https_only_mode": False,
    "dom.webnotifications.enabled": True,
    # The page is shown as it is, and not from the history's cache of pages.
    "fission.bfcacheInParent": False,
    "browser.sessionhistory.max_total_viewers": 0,
    "fission.autostart": True,
    "focusmanager.testmode": True,
    "general.smoothScroll": False,
    "layout.throttled_frame_rate": 60,
    "media.autoplay.default": 0,
    "media.volume_scale": "0.0",
    "network.http.prompt-temp-redirect": False,
    "pdfjs.disabled": True,
    "privacy.trackingprotection.enabled": False,
    "remote.active-protocols": 1,
    "remote.log.level": "Error",
    "security.dialog_enable_delay": 0,
    "security.fileuri.strict_origin_policy": True,
    "security.notification_enable_delay": 0,
    "signon.autofillForms": False,
    "signon.rememberSignons": False,
    "toolkit.cosmeticAnimations.enabled": False,
    "toolkit.legacyUserProfileCustomizations.stylesheets": True,  # see `HEADLESS_STYLES`
    "toolkit.startup.max_resumed_crashes": -1,
    "trailhead.firstrun.didSeeAboutWelcome": True,
    # A headless Firefox reports no mouse unless told to: pages check for one before they offer menus.
    "ui.allPointerCapabilities": 6,
    "ui.primaryPointerCapabilities": 6,
    "ui.systemUsesDarkTheme": 0,
    "widget.content.allow-gtk-dark-theme": False,
}
# Without a window, the Tab key does not move the focus on from a page to the toolbars: the page would not get it back.
HEADLESS_STYLES = "#navigator-toolbox, #navigator-toolbox * { -moz-user-focus: none !important; }\n"
_PERMISSIONS = ("camera", "microphone", "geo", "desktop-notification", "xr", "shortcuts")
# Every permission that a page asks for is refused unless it was granted: 2 is the number of a refusal.
_NO_PERMISSIONS: Mapping[str, Preference] = {
    # Firefox would ask a person before a page may keep its storage; this answers no.
    "dom.storageManager.prompt.testing": True,
    "dom.storageManager.prompt.testing.allow": False,
    **dict.fromkeys(map("permissions.default.{}".format, _PERMISSIONS), 2),
}
ANNOUNCEMENT = pattern(r"WebDriver BiDi listening on ws://127\.0\.0\.1:(\d{1,5})$")
# Lines of the log that are kept, to say why a start failed.
MAX_LOG_LINES = 50
MAX_LINE_LENGTH = 300
# Nothing outside of the run folder is read or written, and no service of the desktop is called or started.
_ENVIRONMENT = {
    "DBUS_SESSION_BUS_ADDRESS": "disabled:",
    "GIO_USE_VFS": "local",
    "GSETTINGS_BACKEND": "memory",
    "MOZ_CRASHREPORTER_DISABLE": "1",
    "MOZ_DISABLE_AUTO_SAFE_MODE": "1",
    "NO_AT_BRIDGE": "1",
}
_NO_SANDBOX = {
    "MOZ_DISABLE_CONTENT_SANDBOX": "1",
    "MOZ_DISABLE_RDD_SANDBOX": "1",
    "MOZ_DISABLE_SOCKET_PROCESS_SANDBOX": "1",
}


def preferences(proxy_host: str, proxy_port: int) -> dict[str, Preference]:
    """Return all preferences. The proxy is for requests that belong to no session, such as those of Firefox itself."""
    proxy: dict[str, Preference] = {"network.proxy.type": 1, "network.proxy.share_proxy_settings": False}
    for scheme in ("http", "ssl"):
        proxy[f"network.proxy.{scheme}"] = proxy_host
        proxy[f"network.proxy.{scheme}_port"] = proxy_port
    return {**_NO_BACKGROUND_REQUESTS, **_NO_PROXY_BYPASS, **_SAME_BEHAVIOUR, **_NO_PERMISSIONS, **proxy}


def user_js(values: Mapping[str, Preference]) -> str:
    """Return the file `user.js` of a profile, which Firefox reads at each start."""
    return "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in values.items())


class FirefoxProcess(shared_process.BrowserProcess):
    """A Firefox that is starting. Requests that belong to no session go to a port that is closed."""

    def __init__(self, runs: Path, installation: Installation, headless: bool, sandbox: bool = True) -> None:
        self.installation = installation
        self._closed_port = reserved_port()
        self._log: deque[str] = deque(maxlen=MAX_LOG_LINES)
        try:
            self.folder = RunFolder.create(runs)
        except OSError:
            self._closed_port.close()
            raise
        try:
            self._output, self.process = self._spawn(headless, sandbox)
            watchdog.record_process(self.folder.location, self.process.pid)
        except OSError:
            self.folder.close()
            self._closed_port.close()
            raise

    @property
    def profile(self) -> Path:
        return self.folder.path / "profile"

    @property
    def recordings(self) -> Path:
        """The folder that Firefox's profiler writes to."""
        return self.folder.path / "recordings"

    def take_output(self) -> int:
        """Return the descriptor of what Firefox prints, which the caller must close."""
        output, self._output = self._output, -1
        assert output >= 0, "taken before"
        return output

    def note_line(self, line: str) -> int | None:
        """Keep a line that Firefox printed; return the port that it names, if it does."""
        if text := line.strip():
            self._log.append(text[:MAX_LINE_LENGTH])
        match = ANNOUNCEMENT.search(line.strip())
        return int(match[1]) if match else None

    def last_log_line(self) -> str:
        return self._log[-1] if self._log else "it printed nothing"

    def release(self) -> None:
        """Kill Firefox, remove its run folder and close what was not taken."""
        self.folder.close()
        self.process.wait()
        if self._output >= 0:
            os.close(self.take_output())
        self._closed_port.close()

    def _spawn(self, headless: bool, sandbox: bool) -> tuple[int, ChildProcess]:
        host, port = self._closed_port.getsockname()
        self.profile.mkdir(mode=0o700)
        (self.profile / "user.js").write_text(user_js(preferences(host, port)))
        if headless:
            (self.profile / "chrome").mkdir(mode=0o700)
            (self.profile / "chrome" / "userChrome.css").write_text(HEADLESS_STYLES)
        command = [str(self.installation.path), "--no-remote", "--new-instance", "--profile", str(self.profile)]
        # Only a client that calls it 127.0.0.1, and no page, may connect to the port.
        command += ["--remote-debugging-port", "0", "--remote-allow-hosts", "127.0.0.1"]
        if headless:
            command.append("--headless")
        output, firefox_output = os.pipe()
        null = os.open(os.devnull, os.O_RDWR)
        environment = {**os.environ, **_ENVIRONMENT, **self.folder.environment, **self._own_folders()}
        if not sandbox:
            environment |= _NO_SANDBOX
        try:
            return output, ChildProcess(command, environment, {0: null, 1: null, 2: firefox_output})
        except OSError:
            os.close(output)
            raise
        finally:
            os.close(null)
            os.close(firefox_output)

    def _own_folders(self) -> dict[str, str]:
        """Return the variables by which Firefox and its libraries write below the run folder instead of the home."""
        cache, config = self.folder.path / "cache", self.folder.path / "config"
        for folder in (cache, config, self.recordings):
            folder.mkdir(mode=0o700)
        return {"XDG_CACHE_HOME": str(cache), "XDG_CONFIG_HOME": str(config), FOLDER_VARIABLE: str(self.recordings)}

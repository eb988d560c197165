"""The preferences of a Firefox that rove starts: nothing but pages sends requests, and those only through a proxy."""

from __future__ import annotations

import json
from collections.abc import Mapping

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

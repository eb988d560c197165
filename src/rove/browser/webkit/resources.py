"""What the tabs of one context share: ref numbers, clipboard, and what may be read."""

from __future__ import annotations

from pathlib import Path

from rove.browser.element import SecretSource
from rove.browser.shared import resources
from rove.browser.webkit.connection import WebDriverError
from rove.browser.webkit.unsupported import NoInterceptor, NoNetworkConditions, NoOverrides, WithheldSecrets
from rove.tasks import BackgroundTasks


class SharedResources(resources.SharedResources):
    """The shared resources of one context."""

    def __init__(self, scratch: Path, downloads: Path) -> None:
        """`scratch`: for copies of files to upload. `downloads`: where the browser puts what it downloads."""
        tasks = BackgroundTasks("context", expected=(WebDriverError,))
        super().__init__(NoNetworkConditions(), NoOverrides(), NoInterceptor(), tasks)
        self.scratch = scratch
        self.downloads = downloads

    def use_secrets(self, secrets: SecretSource) -> None:
        """Note the secrets, which are redacted from what is read. None of them is given to a page, nor pasted."""
        self.interceptor.secrets = secrets
        self.clipboard.secrets = WithheldSecrets(secrets)

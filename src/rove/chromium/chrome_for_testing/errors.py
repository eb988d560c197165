"""The error that lets `rove install` use the system's package manager instead."""

from __future__ import annotations

from rove.errors import BrowserUnavailable


class DownloadUnavailable(BrowserUnavailable):
    """Chrome for Testing has no build for this platform, or its server cannot be reached.

    A server that answers wrongly, an invalid certificate, a wrong hash and a damaged archive are not among these: the
    caller has to see them, so no other browser may be installed in their place.
    """

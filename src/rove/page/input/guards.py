"""What mouse and keyboard of a page go through before they act."""

from __future__ import annotations

from rove.page.input.clipboard import Clipboard
from rove.page.input.page_modes import PageModes
from rove.page.input.password_guard import PasswordGuard
from rove.page.secrets.secret_fields import SecretFields
from rove.validation.record import dataclass


@dataclass(frozen=True)
class InputGuards:
    """The guards of password fields and of fields that hold secrets, the session's clipboard, and the page's modes."""

    password: PasswordGuard
    secret_fields: SecretFields
    clipboard: Clipboard
    page_modes: PageModes

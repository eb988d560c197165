"""Settings of logins that last: the state of the default session, and the key that saved states are encrypted with."""

from __future__ import annotations

from typing import Literal

from rove.validation.fields import Validated, arg
from rove.validation.record import dataclass


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

"""Named secrets: what the owner entrusts to rove, where each may be typed, and nothing of them in what goes out.

`$ROVE_HOME/secrets.toml` is readable by its owner alone and holds a table for each:

    [github]
    origins = ["https://github.com"]
    env = "GITHUB_PASSWORD"             # or `file`, `keyring` = "service/user", or the `value` itself
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path

from rove.errors import Denied
from rove.guard.secrets.secret import Secret
from rove.settings import Settings

Redact = Callable[[str], str]


class Secrets:
    """All that are known. Whoever asks by name is told, at the right origin; whatever goes out is rid of them."""

    def __init__(self, secrets: Iterable[Secret] = (), source: str = "secrets.toml") -> None:
        self._by_name = {secret.name: secret for secret in secrets}
        self._source = source

    @classmethod
    def load(cls, path: Path, environment: Mapping[str, str], workspace: Path) -> Secrets:
        """The secrets of a file, each fetched from where it is kept; nothing is taken that is not understood."""
        from rove.guard.secrets.secrets_file import Source, read  # which most never need

        return cls(read(Source(path, environment, workspace)), str(path))

    def use(self, name: str, origin: str) -> Secret:
        """The secret, for typing it into a document of this origin; raises Denied if it is not for there."""
        secret = self._by_name.get(name)
        if secret is None:
            known = ", ".join(self._by_name) or "none"
            raise Denied(
                f"There is no secret `{name}`.",
                hint=f"There are: {known}. Tell the owner, who can define it in {self._source} (docs/secrets.md).",
            )
        if origin not in secret.origins:
            raise Denied(
                f"The secret `{name}` is bound to {', '.join(secret.origins)}, and this is {_shown(origin)}.",
                hint="It is typed nowhere else. Make sure that this is the site which you mean to be at.",
            )
        return secret

    def offer(self, origin: str) -> str:
        """What could be typed at this origin in place of a password, for whoever was refused."""
        fitting = [secret.name for secret in self._by_name.values() if origin in secret.origins]
        if fitting:
            return f'Give "secret:NAME" in place of the text; for {origin} there is: {", ".join(fitting)}.'
        return (
            f"No secret is bound to {_shown(origin)}. Tell the owner: one that is defined in {self._source} "
            '(docs/secrets.md) can be given as "secret:NAME"; --guard-passwords allow, which is for testing an app of '
            "one's own, lets any text be typed."
        )

    @cached_property
    def redact(self) -> Redact:
        """Takes their values out of a text."""
        if not self._by_name:
            return _unchanged
        from rove.guard.secrets.redaction import Redaction

        return Redaction({secret.name: secret.value for secret in self._by_name.values()})

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)


def secrets_from(settings: Settings) -> Secrets:
    """The secrets that the settings name, or none if they name no file and none lies in home."""
    path = settings.secrets_file
    if settings.secrets is None and not (path.exists() or path.is_symlink()):
        return NO_SECRETS
    return Secrets.load(path, os.environ, settings.workspace_folder)


NO_SECRETS = Secrets()


def _unchanged(text: str) -> str:
    return text


def _shown(origin: str) -> str:
    return "a page of no origin" if origin == "null" else origin

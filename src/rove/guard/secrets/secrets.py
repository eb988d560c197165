"""Named secrets: hands out values for the origins that they are bound to, and removes them from output.

`$ROVE_HOME/secrets.toml` must be readable only by its owner. It has one table for each secret:

    [github]
    origins = ["https://github.com"]
    env = "GITHUB_PASSWORD"             # or `file`, `keyring` = "service/user", or the `value` itself
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from rove.errors import Denied
from rove.guard.secrets.secret import NearMisses, Secret
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.guard.secrets.redaction import Finding, Redaction

# A shorter part in a field may be a word of the agent's own.
MIN_HELD_PART = 8


class Secrets:
    """All secrets that the owner has defined."""

    def __init__(self, secrets: Iterable[Secret] = (), source: str = "secrets.toml") -> None:
        self._by_name = {secret.name: secret for secret in secrets}
        self._source = source

    @classmethod
    def load(cls, path: Path, environment: Mapping[str, str], workspace: Path) -> Secrets:
        """Load the secrets of a file. Raises InvalidSettings if any part of the file is not understood."""
        from rove.guard.secrets.secrets_file import Source, read_secrets  # imported late: most users have no file

        return cls(read_secrets(Source(path, environment, workspace)), str(path))

    def use(self, name: str, origin: str) -> Secret:
        """Return a secret that is about to be typed at this origin. Raises Denied if it is not bound to the origin."""
        secret = self._find(name)
        if origin not in secret.origins:
            raise Denied(
                f"The secret `{name}` is bound to {', '.join(secret.origins)}, and this is {_origin_text(origin)}.",
                hint="rove types it nowhere else. Make sure that this is the site that you want.",
            )
        return secret

    def use_for_document(self, name: str) -> Secret:
        """Return a secret that is about to open a document. Raises Denied if the owner does not allow it for that."""
        secret = self._find(name)
        if not secret.opens_documents:
            raise Denied(
                f"The secret `{name}` is not for documents.",
                hint=f"The owner can write `documents = true` for it in {self._source} (docs/secrets.md).",
            )
        return secret

    def _find(self, name: str) -> Secret:
        secret = self._by_name.get(name)
        if secret is None:
            known = f"There are: {', '.join(self._by_name)}." if self._by_name else "None is defined."
            raise Denied(
                f"There is no secret `{name}`.",
                hint=f"{known} The owner can define it in {self._source} (docs/secrets.md).",
            )
        return secret

    def offer(self, origin: str) -> str:
        """Tell an agent that may not type a password which secrets it can use at this origin instead."""
        names = [secret.name for secret in self._by_name.values() if origin in secret.origins]
        if names:
            return f'Use "secret:NAME" instead of the text; for {origin} there is: {", ".join(names)}.'
        return (
            f"No secret is bound to {_origin_text(origin)}. Tell the owner: a secret that is defined in {self._source} "
            '(docs/secrets.md) can be used as "secret:NAME". For testing your own app, --guard-passwords allow lets '
            "agents type any text."
        )

    def redact(self, text: str) -> str:
        """Replace the values of secrets, and parts of them, with their names."""
        return self._redaction(text) if self._redaction else text

    def redact_all(self, texts: Sequence[str]) -> list[str]:
        """Redact texts that are shown together, over which a secret may be spread."""
        return self._redaction.redact_all(texts) if self._redaction else [*texts]

    def find(self, text: str) -> list[Finding]:
        """Return the secrets and parts of secrets in a text."""
        return self._redaction.find(text) if self._redaction else []

    def held_in(self, text: str) -> list[dict[str, str]]:
        """Return each secret in a text, and each long part of one: its name, and how the text writes it."""
        found = [each for each in self.find(text) if each.is_whole or len(each.part) >= MIN_HELD_PART]
        return [{"name": each.name, "value": text[each.start : each.end]} for each in found]

    def is_bound(self, name: str, origin: str) -> bool:
        """Whether a secret may be typed at an origin."""
        return name in self._by_name and origin in self._by_name[name].origins

    @cached_property
    def _redaction(self) -> Redaction | None:
        if not self._by_name:
            return None
        from rove.guard.secrets.redaction import Redaction

        return Redaction({secret.name: secret.value for secret in self._by_name.values()})

    def near_misses(self) -> NearMisses:
        """Return what notices guesses at these secrets in a session."""
        return NearMisses({secret.name: secret.value for secret in self._by_name.values()})

    @property
    def all(self) -> tuple[Secret, ...]:
        """The secrets themselves, for a process of the owner on another machine."""
        return tuple(self._by_name.values())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)


def secrets_from(settings: Settings) -> Secrets:
    """Return the secrets that the settings name, or none if they name no file and home has none."""
    path = settings.secrets_file
    if settings.secrets is None and not (path.exists() or path.is_symlink()):
        return NO_SECRETS
    return Secrets.load(path, os.environ, settings.workspace_folder)


NO_SECRETS = Secrets()


def _origin_text(origin: str) -> str:
    return "a page of no origin" if origin == "null" else origin

"""Settings, policy and secrets of a rove process, as its nodes use them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from rove.guard.policy_rules import RulePolicy, policy_from
from rove.guard.secrets.secret import Secret
from rove.guard.secrets.secrets import Secrets, secrets_from
from rove.records import dataclass
from rove.settings.tree import Settings, load

# Folders of a node's own home with what `rove install` has fetched there.
INSTALLED = ("browsers", "axe")
SECRETS_SOURCE = "secrets.toml of the rove process that uses the cluster"


@dataclass(frozen=True)
class Configuration:
    """What a node is sent, encrypted (`Cluster.seal`): also settings may hold a secret, such as a proxy's password."""

    settings: Settings
    policy: RulePolicy
    secrets: tuple[Secret, ...]

    @classmethod
    def of(cls, settings: Settings) -> Configuration:
        """Read the policy and the secrets that the settings name. Raises InvalidSettings."""
        return cls(settings, policy_from(settings), secrets_from(settings).all)

    def settings_on(self, folder: Path) -> Settings:
        """Return the settings on a node, whose own are the paths: its files are below `folder`, its browser is its own.

        Never called in the rove process, whose settings these are.
        """
        own, home = load(), folder / "home"
        home.mkdir(mode=0o700, exist_ok=True)
        for name in INSTALLED:
            if not (home / name).is_symlink():
                (home / name).symlink_to(own.home_folder / name)
        return replace(
            self.settings,
            home=home,
            workspace=folder / "workspace",
            browser=own.browser,
            axe=own.axe,
            sandbox=own.sandbox if self.settings.sandbox == "auto" else self.settings.sandbox,
            policy=None,
            secrets=None,
            toolset=None,
            attach=None,
            profile=None,
            extension=(),
        )

    def named_secrets(self) -> Secrets:
        """Return the secrets, which are in memory only."""
        return Secrets(self.secrets, SECRETS_SOURCE)

"""Settings: what is in force, and what is written to the config file."""

from __future__ import annotations

from typing import Any

from rove.settings.config_file import write_setting
from rove.settings.toolset_file import CHAT_TOOLSET
from rove.settings.tree import options, resolve
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, method
from rove.surfaces.gateway.tokens import Scope
from rove.validation.fields import plain

# Their values can hold a password, or the address of a browser without a guard: for the owner alone.
PRIVATE = frozenset({"attach", "proxy", "browser_mirror", "serve.model_url", "cluster.store"})


@method(
    "settings.get",
    Scope.VIEW,
    returns="{settings: [{key, value, default, description, choices, source}]}",
    reach="server",
)
class GetSettings(Method):
    """Return every setting, its value at the next start, and where that comes from.

    Addresses that can hold a password are told to the owner alone; others get null.
    """

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        resolved = resolve({"home": str(gateway.settings.home_folder)}, toolset=CHAT_TOOLSET)
        listed = []
        for option in options():
            value: Any = resolved.settings
            for name in option.path:
                value = getattr(value, name)
            listed.append(
                {
                    "key": option.key,
                    "value": None if option.key in PRIVATE and not client.token.allows(Scope.OWN) else plain(value),
                    "default": plain(option.default),
                    "description": option.description,
                    "choices": list(option.choices),
                    "source": resolved.sources[option.key],
                }
            )
        return {"settings": listed}


@method("settings.set", Scope.OWN, returns="{restartNeeded}", reach="server")
class SetSetting(Method):
    """Write a setting to the config file. It is checked first, and holds from the next start of the server."""

    key: str = arg("The setting, such as limits.sessions.")
    value: Any = arg("Its value; null removes it from the file.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        write_setting(gateway.settings.config_file, self.key, self.value)
        told = None if self.key in PRIVATE else self.value
        gateway.events.publish("settings.changed", {"key": self.key, "value": told})
        return {"restartNeeded": True}

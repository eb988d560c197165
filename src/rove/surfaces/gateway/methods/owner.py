"""What the owner of a server sets and runs: settings, tokens, hosts, nodes."""

from __future__ import annotations

from typing import Any

from rove.engine.client_sessions import ClusterControl
from rove.errors import InvalidArguments, InvalidSettings, Unsupported
from rove.fields import plain
from rove.settings.config_file import write_setting
from rove.settings.toolset_file import CHAT_TOOLSET
from rove.settings.tree import options, resolve
from rove.surfaces.gateway.gateway import Gateway
from rove.surfaces.gateway.methods.method import Client, Method, arg, camel, method
from rove.surfaces.gateway.tokens import Scope, scopes_from

# Their values can hold a password, or the address of a browser without a guard: for the owner alone.
PRIVATE = frozenset({"attach", "proxy", "browser_mirror", "serve.model_url", "cluster.store"})
MAX_SECONDS = 366 * 24 * 3600
NODE = (
    "{id, address, state, reason, version, cores, load, memoryTotal, memoryFree, sessions, sessionBytes, answerSeconds}"
)
STORE = "{address, saved, unsaved, problem, since}"
STATUS = (
    f"{{address, isConnected, nodes: [{NODE}], sessions, freePlaces, sessionBytes, waiting, queue, moving, problems, "
    f"store: {STORE}}}"
)


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


@method("tokens.create", Scope.OWN, returns="{token, link, id, expires}", reach="server")
class CreateToken(Method):
    """Make a token for another person or program. It is shown this once; only its hash is kept."""

    scopes: tuple[str, ...] = arg(
        "What it allows: some of view, act, approve, view:all, approve:all, own.", default=("view",)
    )
    expires_in: float | None = arg("Seconds until it expires.", default=3600.0, gt=0, le=MAX_SECONDS)
    label: str = arg("A name for it, which decisions made with it are recorded under.", default="", max_length=100)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        text, token = gateway.tokens.create(scopes_from(self.scopes), self.expires_in, self.label)
        return {"token": text, "link": gateway.link(text), "id": token.id, "expires": token.expires}


@method("tokens.list", Scope.OWN, returns="{tokens: [{id, label, scopes, created, expires}]}", reach="server")
class ListTokens(Method):
    """List the tokens that are valid, besides the owner's."""

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        return {"tokens": [token.describe() for token in gateway.tokens.valid]}


@method("tokens.revoke", Scope.OWN, reach="server")
class RevokeToken(Method):
    """End a token at once, also for clients that are connected with it."""

    id: str = arg("The token's id, as tokens.list shows it.")

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        gateway.tokens.revoke(self.id)
        await gateway.end_token(self.id)
        return {}


@method("hosts.allow", Scope.OWN, returns="{sessions: [sessionKey]}", reach="server")
class AllowHost(Method):
    """Let a session reach a host that is not public, until it is closed. Metadata services and rove stay closed."""

    host: str = arg("Such as localhost:3000, *.corp.example or 10.0.0.5.", max_length=300)
    session_key: str | None = arg("The session; all that are open if not given.", default=None)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        opened = [known["session"] for known in gateway.sessions.sessions()]
        names = [self.session_key] if self.session_key is not None else opened
        for name in names:
            session = gateway.sessions.session(name)
            try:
                await session.allow_host(self.host)
            except InvalidSettings as error:
                raise InvalidArguments(f"`host`: {error.message}", hint=error.hint) from error
            await session.journal.record("guard", {"event": "allowed", "host": self.host, "person": client.person})
        return {"sessions": names}


@method("cluster.status", Scope.VIEW_ALL, returns=STATUS, reach="server")
class ClusterStatus(Method):
    """Return how the nodes are, how many sessions they have room for, which wait, and whether states are saved.

    `state` of a node is ready, draining, drained, silent or refused. Memory is in bytes.
    """

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        status: dict[str, Any] = on_wire(_cluster(gateway).status())
        return status


@method("cluster.drain", Scope.OWN, returns=f"{{node: {NODE}}}", reach="server")
class DrainNode(Method):
    """Place nothing on a node any more, and move its sessions to others one by one; cluster.status tells how far it is.

    A session is moved when no call runs in it, with its tabs and logins. The node may go when it is `drained`.
    """

    node: str = arg("Its id as cluster.status has it, or a beginning that no other has.", max_length=300)
    undo: bool = arg("Place sessions there again instead; what was not moved yet stays.", default=False)

    async def run(self, gateway: Gateway, client: Client) -> dict[str, Any]:
        cluster = _cluster(gateway)
        return {"node": on_wire(cluster.end_draining(self.node) if self.undo else cluster.drain(self.node))}


def _cluster(gateway: Gateway) -> ClusterControl:
    control = gateway.sessions.cluster_control
    if control is None:
        raise Unsupported(
            "The sessions of this server run in its own process, not on a cluster.",
            hint="Start it with --cluster ADDRESS to use one (docs/cluster.md).",
        )
    return control


def on_wire(value: Any) -> Any:
    """Return plain data with the names of fields as they are on the wire; names of sessions stay as they are."""
    if isinstance(value, list | tuple):
        return [on_wire(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {camel(name): each if name == "problems" else on_wire(each) for name, each in value.items()}

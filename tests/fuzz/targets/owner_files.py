"""Files that the owner writes: policy, secrets and settings. A typo must be refused, never ignored.

Each file is read by rove and by Python's own TOML parser. All that the second finds must be in what the first returns:
a rule, key or entry that is left out could mean a wider policy.
"""

from __future__ import annotations

import random
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from rove.action import registry
from rove.errors import InvalidSettings
from rove.guard.policy_rules import EFFECTS, LIST_KEYS, ActionFacts, PolicyRule, RulePolicy, read_policy
from rove.guard.secrets.secrets_file import Source, read_secrets
from rove.settings.tree import Settings, options, resolve
from rove.target import canonical_origin

_DEEP = (
    b"a = " + b"[" * 3000,
    b"a = " + b"{a=" * 3000,
    b"[" + b"a." * 3000 + b"a]",
    b"9" * 5000,
    b"a." * 2000 + b"a = 1",
)
_TOML = (
    b"=",
    b'"""',
    b"'''",
    b"[[",
    b"]]",
    b"{",
    b"}",
    b"#",
    b"\\u0000",
    b"\\ud800",
    b"true",
    b"inf",
    b"1979-05-27",
    b"[]",
    *_DEEP,
)
_ORIGINS = (
    "*",
    "example.com",
    "https://*.example.com",
    "http://localhost:*",
    "https://a.example:8443",
    "[::1]",
    "ex*.com",
    "a b",
)
_SESSIONS = ("default", "shop", "*")


class OwnerFile:
    """A file of the owner, in a folder of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.path = Path(self._folder.name) / "file.toml"
        self.path.touch(mode=0o600)

    def written(self, data: bytes) -> Path:
        self.path.write_bytes(data)
        return self.path


class PolicyFiles(OwnerFile):
    """The policy file."""

    name = "policy_files"
    tokens = (
        *_TOML,
        *(word.encode() for word in (*EFFECTS, *LIST_KEYS, "decide", "allow", "deny", "ask", "reason", "question")),
        b"[[rule]]\n",
        b"[default]\n",
        b"[[state]]\n",
        b"[[profile]]\n",
    )
    accepted: Mapping[str, str] = {}

    def generate(self, choose: random.Random) -> bytes:
        tables = [_rule(choose) for _ in range(choose.randrange(4))]
        if choose.random() < 0.5:
            word = choose.choice(("allow", "deny", "ask"))
            tables.append(f'[default]\n{choose.choice(list(EFFECTS))} = "{word}"\n')
        if choose.random() < 0.3:
            tables.append('[[state]]\nname = "work"\nsession = ["shop", "default"]\n')
        choose.shuffle(tables)
        return "\n".join(tables).encode()

    def check(self, data: bytes) -> set[str]:
        try:
            policy = read_policy(self.written(data))
        except InvalidSettings:
            return set()
        assert _policy_tree(policy) == _normalised(tomllib.loads(data.decode())), "a part of the file is ignored"
        _decide(policy)
        return set()


def _rule(choose: random.Random) -> str:
    decide = choose.choice(("allow", "deny", "ask"))
    lines = [f'decide = "{decide}"']
    if choose.random() < 0.6:
        lines.append(f"action = {_list(choose, list(registry()))}")
    if choose.random() < 0.4:
        lines.append(f"effect = {_list(choose, list(EFFECTS))}")
    if choose.random() < 0.6:
        lines.append(f"origin = {_list(choose, _ORIGINS)}")
    if choose.random() < 0.3:
        lines.append(f"session = {_list(choose, _SESSIONS)}")
    if decide == "deny" and choose.random() < 0.3:
        lines.append('reason = "No."')
    choose.shuffle(lines)
    return "[[rule]]\n" + "\n".join(lines) + "\n"


def _list(choose: random.Random, words: list[str] | tuple[str, ...]) -> str:
    if choose.random() < 0.4:
        return f'"{choose.choice(words)}"'
    return "[" + ", ".join(f'"{choose.choice(words)}"' for _ in range(choose.randint(1, 3))) + "]"


def _policy_tree(policy: RulePolicy) -> dict[str, Any]:
    """Return a policy as the TOML that it was read from."""
    tree: dict[str, Any] = {"rule": [_fields(rule) for rule in policy.rules], "default": dict(policy.defaults)}
    for kind, bindings in policy.bindings.items():
        tree[kind] = [{"name": [*binding.name], "session": [*binding.session]} for binding in bindings]
    return {key: value for key, value in tree.items() if value}


def _fields(rule: PolicyRule) -> dict[str, Any]:
    values = ((field.name, getattr(rule, field.name)) for field in fields(rule))
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in values if value not in ((), None)
    }


def _normalised(tree: dict[str, Any]) -> dict[str, Any]:
    """Return the TOML with lists in place of single words, and without what is empty."""
    for tables in tree.values():
        for table in tables if isinstance(tables, list) else ():
            table.update({key: [table[key]] for key in LIST_KEYS if isinstance(table.get(key), str)})
    return {key: value for key, value in tree.items() if value}


def _decide(policy: RulePolicy) -> None:
    for verb in ("click", "navigate", "evaluate", "upload", "batch"):
        for url in ("https://a.example:8443/x", "http://localhost:3000/", "about:blank", None):
            facts = ActionFacts.of(verb, "shop", url)
            policy.decision(facts, policy.verdict(facts))


class SecretsFiles(OwnerFile):
    """The secrets file."""

    name = "secrets_files"
    tokens = (
        *_TOML,
        b'value = "correct horse"\n',
        b'file = "~nobody-at-all/x"\n',
        b'file = "a\\u0000b"\n',
        b'file = "/dev/zero"\n',
        b'file = "."\n',
        b'env = "TOKEN"\n',
        b'origins = "https://a.example"\n',
        b'origins = ["https://a.example/x"]\n',
        b'fields = "any"\n',
        b"documents = true\n",
        b"[other]\n",
    )
    accepted: Mapping[str, str] = {}

    def generate(self, choose: random.Random) -> bytes:
        return "\n".join(_secret(choose, number) for number in range(choose.randint(1, 3))).encode()

    def check(self, data: bytes) -> set[str]:
        source = Source(self.written(data), {"TOKEN": "battery staple"}, self.path.parent / "workspace")
        try:
            secrets = read_secrets(source)
        except InvalidSettings:
            return set()
        tree = tomllib.loads(data.decode())
        assert [secret.name for secret in secrets] == list(tree), "a secret is ignored"
        for secret in secrets:
            table = tree[secret.name]
            assert len(secret.value) >= 4 and secret.value in (table.get("value"), "battery staple"), "another value"
            assert secret.origins == tuple(map(canonical_origin, table.get("origins", ()))), "other origins"
            assert secret.fields == table.get("fields", "password"), "other fields"
            assert secret.opens_documents is bool(table.get("documents")), "other documents"
        return set()


def _secret(choose: random.Random, number: int) -> str:
    value = choose.choice(('value = "correct horse"', 'env = "TOKEN"', 'value = "123"', 'env = "MISSING"'))
    origins = choose.choice(
        ('["https://a.example"]', '["http://localhost:3000", "https://B.example"]', "[]", '"https://a.example"')
    )
    lines = [value, f"origins = {origins}"]
    if choose.random() < 0.3:
        lines.append(f'fields = "{choose.choice(("any", "password", "text"))}"')
    if choose.random() < 0.2:
        lines.append(f"documents = {choose.choice(('true', 'false', '1'))}")
    choose.shuffle(lines)
    return f"[{choose.choice(('github', 'a-b_c', 'a b'))}{number}]\n" + "\n".join(lines) + "\n"


class ConfigFiles(OwnerFile):
    """The settings in config.toml."""

    name = "config_files"
    tokens = (
        *_TOML,
        *(option.key.encode() for option in options()),
        b"[limits]\n",
        b"[guard]\n",
        b'["',
        b"nan",
        b"1e999",
    )
    accepted: Mapping[str, str] = {}

    def __init__(self) -> None:
        super().__init__()
        self.path = self.path.with_name("config.toml")

    def generate(self, choose: random.Random) -> bytes:
        chosen = (choose.choice(options()) for _ in range(choose.randint(1, 5)))
        lines = {option.key: f"{option.key} = {_setting(choose, option.default)}" for option in chosen}
        return "\n".join(lines.values()).encode()

    def check(self, data: bytes) -> set[str]:
        self.written(data)
        try:
            resolved = resolve({"home": self._folder.name}, {})
        except InvalidSettings:
            return set()
        flat = dict(_flat(tomllib.loads(data.decode()), ""))
        assert "toolset" in flat or flat.keys() <= _set_keys(resolved.sources) | {"browser_headless"}, (
            "a key is ignored"
        )
        for key, value in flat.items():
            if isinstance(value, bool):
                assert _value(resolved.settings, key) is value, f"{key} has another value"
        for folder in (
            resolved.settings.workspace_folder,
            resolved.settings.secrets_file,
            resolved.settings.policy_file,
        ):
            folder.resolve()
        return set()


def _setting(choose: random.Random, default: object) -> str:
    if choose.random() < 0.3:
        return choose.choice(("true", "1", '"x"', "[]", '["*"]', "{}", "-1", "0.5", "nan"))
    if isinstance(default, bool):
        return choose.choice(("true", "false"))
    if isinstance(default, int | float):
        return str(choose.choice((default, 0, 1, -1, 10**9)))
    if isinstance(default, Path) or default is None:
        return choose.choice(('"x"', '"~/x"', '"~nobody-at-all/x"', '"/x\\u0000"', '""'))
    return '["localhost:3000"]' if isinstance(default, tuple) else '"x"'


def _flat(tree: Mapping[str, Any], prefix: str) -> list[tuple[str, Any]]:
    found = list[tuple[str, Any]]()
    for name, value in tree.items():
        found += _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else [(prefix + name, value)]
    return found


def _set_keys(sources: Mapping[str, str]) -> set[str]:
    return {key for key, source in sources.items() if source != "default"}


def _value(settings: Settings, key: str) -> object:
    value: object = settings
    for part in key.removeprefix("browser_" if key == "browser_headless" else "").split("."):
        value = getattr(value, part)
    return value

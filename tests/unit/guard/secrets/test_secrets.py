"""Named secrets are read from their sources, and given only to the origins that they are bound to."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from keyring import get_keyring, set_keyring
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

from rove import Settings
from rove.errors import Denied, InvalidSettings
from rove.guard.secrets.secret import Secret
from rove.guard.secrets.secrets import NO_SECRETS, Secrets, secrets_from
from rove.target import canonical_origin

ORIGINS = 'origins = ["https://shop.example"]\n'


def write(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / "secrets.toml"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def load(folder: Path, text: str, **environment: str) -> Secrets:
    return Secrets.load(write(folder, text), environment, folder / "workspace")


def value_of(secrets: Secrets, name: str = "shop") -> str:
    return secrets.use(name, "https://shop.example").value


# Where values come from


def test_a_value_can_be_in_the_secrets_file(tmp_path: Path) -> None:
    assert value_of(load(tmp_path, f'[shop]\n{ORIGINS}value = "hunter2"')) == "hunter2"


def test_a_value_can_be_in_the_environment(tmp_path: Path) -> None:
    assert value_of(load(tmp_path, f'[shop]\n{ORIGINS}env = "SHOP_WORD"', SHOP_WORD="hunter2")) == "hunter2"


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
@pytest.mark.parametrize("relative", [True, False])
def test_a_value_can_be_in_a_separate_file(tmp_path: Path, end: str, relative: bool) -> None:
    (tmp_path / "word").write_bytes(f"hun ter2 {end}".encode())
    where = "word" if relative else str(tmp_path / "word")
    assert value_of(load(tmp_path, f"[shop]\n{ORIGINS}file = {json.dumps(where)}")) == "hun ter2 "


class InMemoryKeyring(KeyringBackend):
    """A keyring with one known password."""

    priority = 1.0

    def get_password(self, service: str, username: str) -> str | None:
        if service == "locked":
            raise KeyringLocked("the keyring is locked")
        return {("my/shop", "bea"): "hunter2"}.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        raise NotImplementedError


@pytest.fixture
def _in_memory_keyring() -> object:
    before = get_keyring()
    set_keyring(InMemoryKeyring())  # type: ignore[no-untyped-call]
    yield
    set_keyring(before)


@pytest.mark.usefixtures("_in_memory_keyring")
def test_a_value_can_be_in_the_system_keyring(tmp_path: Path) -> None:
    assert value_of(load(tmp_path, f'[shop]\n{ORIGINS}keyring = "my/shop/bea"')) == "hunter2"


@pytest.mark.usefixtures("_in_memory_keyring")
@pytest.mark.parametrize(
    ("entry", "message"),
    [("my/shop/ann", "no password for ann"), ("locked/x", "the keyring is locked"), ("shop", "service/user")],
)
def test_a_keyring_without_the_password_is_an_error(tmp_path: Path, entry: str, message: str) -> None:
    with pytest.raises(InvalidSettings, match=message):
        load(tmp_path, f'[shop]\n{ORIGINS}keyring = "{entry}"')


def test_a_missing_keyring_package_is_named_in_the_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(InvalidSettings) as caught:
        load(tmp_path, f'[shop]\n{ORIGINS}keyring = "shop/bea"')
    assert "pip install 'rove[keyring]'" in caught.value.hint


# Files and tables that are refused


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644, 0o666, 0o610])
def test_a_file_that_other_users_can_access_is_refused_with_the_command_that_corrects_it(
    tmp_path: Path, mode: int
) -> None:
    path = write(tmp_path, f'[shop]\n{ORIGINS}value = "hunter2"', mode)
    with pytest.raises(InvalidSettings) as caught:
        Secrets.load(path, {}, tmp_path / "workspace")
    assert f"chmod 600 {path}" in caught.value.hint
    assert f"{mode:o}" in caught.value.message


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ('value = "hunter2"', "`origins` is missing"),
        ('origins = []\nvalue = "hunter2"', "`origins` is missing"),
        ('origins = "https://shop.example"\nvalue = "hunter2"', "`origins`: must be a list"),
        ('origins = ["shop.example"]\nvalue = "hunter2"', "is not an origin"),
        (f'{ORIGINS}vlaue = "hunter2"', "`vlaue` is not known; there are: origins, value, env"),
        (f"{ORIGINS}value = 1234567", "`value`: must be a string"),
        (ORIGINS, "exactly one of value, env, file, keyring; it has none"),
        (f'{ORIGINS}value = "hunter2"\nenv = "SHOP_WORD"', "it has value and env"),
        (f'{ORIGINS}env = "NO_SUCH_WORD"', "NO_SUCH_WORD is not set"),
        (f'{ORIGINS}env = "EMPTY"', "EMPTY is not set"),
        (f'{ORIGINS}file = "/no/such/file"', "/no/such/file is not a file"),
        (f'{ORIGINS}file = "/dev/zero"', "/dev/zero is not a file"),
        (f'{ORIGINS}file = "large"', "large is not a file of at most"),
        (f'{ORIGINS}file = "binary"', "cannot be read: it is not UTF-8 text"),
        (f'{ORIGINS}value = "abc"', "fewer than 4 characters"),
        (f'{ORIGINS}value = "hunter2"\nfields = "some"', "`fields`: must be one of password, any"),
    ],
)
def test_an_invalid_table_is_refused_with_the_name_of_the_secret(tmp_path: Path, table: str, message: str) -> None:
    (tmp_path / "large").write_text("x" * 70_000)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\xff\xfe")
    with pytest.raises(InvalidSettings) as caught:
        load(tmp_path, f"[shop]\n{table}", SHOP_WORD="hunter2", EMPTY="")
    assert message in caught.value.message
    assert "`shop`" in caught.value.message
    assert "hunter2" not in f"{caught.value.message}{caught.value.hint}"


@pytest.mark.parametrize(
    "text", ["shop = 3", '["my shop"]\nvalue = "hunter2"', '["-"]\nvalue = "hunter2"', "[shop", "a"]
)
def test_an_invalid_secrets_file_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        load(tmp_path, text)
    assert "secrets.toml" in caught.value.message
    assert "hunter2" not in caught.value.message


def test_a_missing_file_is_refused_if_the_settings_name_it(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings):
        secrets_from(Settings(home=tmp_path, secrets=tmp_path / "mine.toml"))


def test_a_broken_link_does_not_count_as_a_missing_file(tmp_path: Path) -> None:
    (tmp_path / "secrets.toml").symlink_to(tmp_path / "gone")
    with pytest.raises(InvalidSettings):
        secrets_from(Settings(home=tmp_path))


def test_neither_the_secrets_file_nor_the_file_of_a_value_may_be_in_the_workspace(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    inside = write(workspace, f'[shop]\n{ORIGINS}value = "hunter2"')
    with pytest.raises(InvalidSettings, match="workspace"):
        Secrets.load(inside, {}, workspace)
    (workspace / "word").write_text("hunter2")
    (tmp_path / "link").symlink_to(workspace / "word")
    for name in ("workspace/word", "link"):
        with pytest.raises(InvalidSettings, match="workspace"):
            load(tmp_path, f'[shop]\n{ORIGINS}file = "{name}"')


# Which secrets an origin gets


def test_without_a_file_there_are_no_secrets_and_texts_stay_unchanged(tmp_path: Path) -> None:
    secrets = secrets_from(Settings(home=tmp_path))
    assert secrets is NO_SECRETS
    assert not secrets.names
    text = "any text"
    assert secrets.redact(text) is text


def test_the_error_for_an_unknown_name_lists_the_known_names() -> None:
    secrets = Secrets(
        [Secret("one", ("https://a.example",), "hunter2"), Secret("two", ("https://b.example",), "hunter3")]
    )
    with pytest.raises(Denied) as caught:
        secrets.use("three", "https://a.example")
    assert "`three`" in caught.value.message
    assert "one, two" in caught.value.hint


@pytest.mark.parametrize(
    "origin",
    ["http://a.example", "https://a.example:8443", "https://b.a.example", "https://a.example.evil.example", "null", "",
     "https://a.example/", "https://A.EXAMPLE"],
)  # fmt: skip
def test_a_secret_is_given_only_to_the_exact_origin(origin: str) -> None:
    secrets = Secrets([Secret("one", ("https://a.example", "https://c.example"), "hunter2")])
    with pytest.raises(Denied) as caught:
        secrets.use("one", origin)
    assert "https://a.example, https://c.example" in caught.value.message
    assert secrets.use("one", "https://c.example").value == "hunter2"


def test_an_offer_names_only_the_secrets_that_are_bound_to_the_origin() -> None:
    secrets = Secrets(
        [Secret("one", ("https://a.example",), "hunter2"), Secret("two", ("https://b.example",), "hunter3")]
    )
    assert "one" in secrets.offer("https://a.example")
    assert "two" not in secrets.offer("https://a.example")
    assert "docs/secrets.md" in secrets.offer("https://c.example")


def test_the_repr_of_a_secret_does_not_contain_its_value() -> None:
    assert "hunter2" not in repr(Secret("one", ("https://a.example",), "hunter2"))


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("https://Example.COM", "https://example.com"),
        ("HTTPS://example.com:443/", "https://example.com"),
        ("http://example.com:80", "http://example.com"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("https://example.com:08443", "https://example.com:8443"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://[0:0::1]:8000", "http://[::1]:8000"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("https://Bücher.example", "https://xn--bcher-kva.example"),
        ("http://0x7f.1", "http://127.0.0.1"),
        ("https://example.com.", "https://example.com."),
    ],
)
def test_an_origin_has_one_canonical_form(text: str, canonical: str) -> None:
    assert canonical_origin(text) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "example.com",
        "https://",
        "https://example.com/path",
        "https://example.com//",
        "https://user@example.com",
        "https://user:word@example.com",
        "https://example.com?",
        "https://example.com?x",
        "https://example.com#x",
        "https://*.example.com",
        "https://*",
        "*",
        "ftp://example.com",
        "file:///etc/passwd",
        "about:blank",
        "null",
        "",
        "https://example.com:99999",
        "http://127.0.0.1.1",
        "http://[::x]",
        "https://exa mple.com",
        "https://example.com\\@evil.example",
        "blob:https://example.com/x",
    ],
)
def test_a_text_that_is_not_an_origin_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        canonical_origin(text)


def test_a_secret_for_documents_needs_no_origin_and_no_other_opens_them(tmp_path: Path) -> None:
    secrets = load(tmp_path, '[report]\ndocuments = true\nvalue = "hunter2"\n' + f'[shop]\n{ORIGINS}value = "hunter3"')
    assert secrets.use_for_document("report").value == "hunter2"
    for name in ("shop", "none"):
        with pytest.raises(Denied):
            secrets.use_for_document(name)
    with pytest.raises(Denied):
        secrets.use("report", "https://shop.example")

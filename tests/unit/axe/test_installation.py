"""Fetching axe-core, and finding it."""

from __future__ import annotations

import hashlib
import io
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from tests.site import Site

from rove.browser import axe_core
from rove.browser.axe_core import axe_source, install_axe, own_path
from rove.errors import Unsupported
from rove.settings.tree import Settings

CODE = b"/* axe */"


OLDER = b"/* an older axe */"
WHEEL = "axe_playwright_python-0.1.8-py3-none-any.whl"


@pytest.fixture(autouse=True)
def no_registries_of_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty home, without a package manager that has settings."""
    home = tmp_path / "user"
    home.mkdir()
    for name in ("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_CONFIG_FILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("registry", "userconfig", "globalconfig"):
        monkeypatch.delenv(f"npm_config_{name}", raising=False)
        monkeypatch.delenv(f"NPM_CONFIG_{name.upper()}", raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("NPM_CONFIG_GLOBALCONFIG", str(home / "npmrc"))
    monkeypatch.setenv("PATH", str(home))  # there is no npm
    monkeypatch.setattr(sys, "prefix", str(home))
    return home


@pytest.fixture
def address(site: Site, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a file that stands for the release that rove is tested with, and is published nowhere else."""
    hashes = {axe_core.VERSION: hashlib.sha256(CODE).hexdigest(), "4.12.1": hashlib.sha256(OLDER).hexdigest()}
    monkeypatch.setattr(axe_core, "HASHES", hashes)
    monkeypatch.setattr(axe_core, "ADDRESSES", ())
    return site.file("/axe.min.js", CODE, "text/javascript")


def tarball(code: bytes) -> bytes:
    """Return an archive in npm's form."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        member = tarfile.TarInfo("package/axe.min.js")
        member.size = len(code)
        archive.addfile(member, io.BytesIO(code))
    return data.getvalue()


def wheel(code: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("axe_playwright_python/axe.min.js", code)
    return data.getvalue()


def test_it_is_fetched_once_and_used(address: str, site: Site, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, axe_address=address)
    with pytest.raises(Unsupported) as missing:
        axe_source(settings)
    assert "rove install axe" in missing.value.hint
    version, path = install_axe(settings)
    assert (version, path) == (axe_core.VERSION, own_path(settings))
    install_axe(settings)
    assert len(site.requests) == 1
    assert axe_source(settings) == CODE.decode()


def test_a_file_with_another_hash_is_neither_kept_nor_used(address: str, site: Site, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, axe_address=site.file("/other.js", b"/* other */", "text/javascript"))
    with pytest.raises(Unsupported):
        install_axe(settings)
    path = own_path(settings)
    assert not path.exists()
    path.parent.mkdir(parents=True)
    path.write_bytes(b"/* changed */")
    with pytest.raises(Unsupported):
        axe_source(settings)
    # A file that the user names is the user's own choice.
    assert axe_source(Settings(home=tmp_path, axe=path)) == "/* changed */"


def test_the_next_address_is_asked_where_one_has_no_such_file(
    address: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(axe_core, "ADDRESSES", (site.url("/missing"), address))
    install_axe(Settings(home=tmp_path))
    monkeypatch.setattr(axe_core, "ADDRESSES", (site.url("/missing"),))
    with pytest.raises(Unsupported) as failed:
        install_axe(Settings(home=tmp_path), again=True)
    assert "ROVE_AXE" in failed.value.hint


@pytest.mark.parametrize("is_variable", [True, False])
def test_it_is_had_from_the_registry_that_npm_is_set_to(
    address: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_variable: bool
) -> None:
    path = f"/npm/axe-core/-/axe-core-{axe_core.VERSION}.tgz"
    site.file(path, tarball(CODE), "application/gzip")
    registry = site.url("/npm/")
    if is_variable:
        monkeypatch.setenv("NPM_CONFIG_REGISTRY", registry)
    else:
        monkeypatch.setenv("COMPANY_TOKEN", "abc")
        lines = f"; of the company\nregistry = {registry}\n{registry.partition(':')[2]}:_authToken=${{COMPANY_TOKEN}}\n"
        (tmp_path / "user" / ".npmrc").write_text(lines)
    settings = Settings(home=tmp_path)
    assert install_axe(settings)[0] == axe_core.VERSION
    assert axe_source(settings) == CODE.decode()
    (asked,) = site.requests
    assert asked.path == path
    assert asked.headers.get("Authorization") == (None if is_variable else "Bearer abc")


def test_an_older_release_is_had_from_the_index_that_pip_is_set_to(address: str, site: Site, tmp_path: Path) -> None:
    site.file(f"/files/{WHEEL}", wheel(OLDER), "application/zip")
    link = (
        f"<a href='axe_playwright_python-0.1.7-py3-none-any.whl'>0.1.7</a><a href='/files/{WHEEL}#sha256=0'>0.1.8</a>"
    )
    site.page("/simple/axe-playwright-python/", link)
    (tmp_path / "user" / ".config" / "pip").mkdir(parents=True)
    index = site.url("/simple").replace("//", "//me:word@")
    (tmp_path / "user" / ".config" / "pip" / "pip.conf").write_text(f"[global]\nindex-url = {index}\n")
    settings = Settings(home=tmp_path)
    version, path = install_axe(settings)
    assert (version, path) == ("4.12.1", own_path(settings, "4.12.1"))
    assert axe_source(settings) == OLDER.decode()
    assert {request.headers.get("Authorization") for request in site.requests} == {"Basic bWU6d29yZA=="}


def test_a_registry_that_serves_another_file_is_not_believed(
    address: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/npm/axe-core/-/axe-core-{axe_core.VERSION}.tgz"
    monkeypatch.setenv("NPM_CONFIG_REGISTRY", site.url("/npm"))
    for data in (tarball(b"/* other */"), b"no archive", tarball(CODE)[:40]):
        site.file(path, data, "application/gzip")
        with pytest.raises(Unsupported):
            install_axe(Settings(home=tmp_path))
    assert not own_path(Settings(home=tmp_path)).exists()


def test_a_token_is_not_sent_on_to_another_host(
    address: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = site.file("/elsewhere.tgz", tarball(CODE), "application/gzip").replace("127.0.0.1", "localhost")
    path = f"/npm/axe-core/-/axe-core-{axe_core.VERSION}.tgz"
    site.page(path, "", status=302, headers={"Location": other})
    registry = site.url("/npm/")
    (tmp_path / "user" / ".npmrc").write_text(f"registry={registry}\n{registry.partition(':')[2]}:_authToken=abc\n")
    install_axe(Settings(home=tmp_path))
    assert [request.headers.get("Authorization") for request in site.requests] == ["Bearer abc", None]

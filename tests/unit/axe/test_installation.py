"""Fetching axe-core, and finding it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from tests.site import Site

from rove.axe import installation
from rove.axe.installation import axe_source, install_axe, own_path
from rove.errors import Unsupported
from rove.settings.tree import Settings

CODE = b"/* axe */"


@pytest.fixture
def address(site: Site, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a file that stands for the release that rove is tested with."""
    monkeypatch.setattr(installation, "SHA256", hashlib.sha256(CODE).hexdigest())
    return site.file("/axe.min.js", CODE, "text/javascript")


def test_it_is_fetched_once_and_used(address: str, site: Site, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, axe_address=address)
    with pytest.raises(Unsupported) as missing:
        axe_source(settings)
    assert "rove install axe" in missing.value.hint
    version, path = install_axe(settings)
    assert (version, path) == (installation.VERSION, own_path(settings))
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
    monkeypatch.setattr(installation, "ADDRESSES", (site.url("/missing"), address))
    install_axe(Settings(home=tmp_path))
    monkeypatch.setattr(installation, "ADDRESSES", (site.url("/missing"),))
    with pytest.raises(Unsupported) as failed:
        install_axe(Settings(home=tmp_path), again=True)
    assert "ROVE_AXE" in failed.value.hint

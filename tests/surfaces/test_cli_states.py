"""`rove states` and `rove profiles` as real commands."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

ROVE = str(Path(sys.executable).parent / "rove")
COOKIE = {"name": "id", "value": "very-secret", "domain": "shop.example", "path": "/", "expires": -1,
          "httpOnly": False, "secure": False, "sameSite": "Lax"}  # fmt: skip
ORIGIN = {"origin": "https://shop.example", "localStorage": [{"name": "k", "value": "also-secret"}], "indexedDB": []}


def rove(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    settings = {"ROVE_HOME": str(home), "ROVE_LOGINS_KEY": "file"}
    return subprocess.run([ROVE, *words], capture_output=True, text=True, env=settings, timeout=60)


def test_states_are_imported_listed_shown_exported_and_deleted(tmp_path: Path) -> None:
    home, source, target = tmp_path / "home", tmp_path / "in.json", tmp_path / "out.json"
    source.write_text(json.dumps({"cookies": [COOKIE], "origins": [ORIGIN]}))
    assert "No state is saved." in rove(home, "states", "list").stdout
    assert rove(home, "states", "import", "shop", str(source)).returncode == 0
    listed, shown = rove(home, "states", "list").stdout, rove(home, "states", "show", "shop").stdout
    assert listed.startswith("shop: saved 20") and "1 cookie of shop.example" in listed
    assert "https://shop.example: 1 in local storage" in shown
    assert "secret" not in listed + shown
    assert rove(home, "states", "export", "shop", str(target)).returncode == 0
    assert json.loads(target.read_text()) == {"cookies": [COOKIE], "origins": [ORIGIN]}
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    again = rove(home, "states", "export", "shop", str(target))  # never over a file that is there
    assert again.returncode == 1 and "cannot be written" in again.stderr
    assert rove(home, "states", "delete", "shop").returncode == 0
    missing = rove(home, "states", "show", "shop")
    assert missing.returncode == 2 and "There is no state shop" in missing.stderr


def test_profiles_are_listed_and_deleted(tmp_path: Path) -> None:
    (tmp_path / "profiles" / "work" / "browser").mkdir(parents=True)
    assert rove(tmp_path, "profiles", "list").stdout == "work\n"
    assert rove(tmp_path, "profiles", "delete", "work").returncode == 0
    assert rove(tmp_path, "profiles", "list").stdout == "There is no profile.\n"
    assert rove(tmp_path, "profiles", "delete", "work").returncode == 2

"""Pages that a server has rendered, and whose handlers come late: real builds of React, Vue and Svelte."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from tests.widgets.bundles import INSTALLED, OPTIONS

HERE = Path(__file__).parent / "frameworks"
FRAMEWORKS = {"react": "jsx", "vue": "js", "svelte": "js"}


def rendered(framework: str) -> tuple[str, str]:
    """Return the document as a server sends it, and the script that brings the handlers."""
    suffix = FRAMEWORKS[framework]
    with tempfile.TemporaryDirectory(dir=INSTALLED) as made:
        server, client = Path(made, "server.cjs"), Path(made, "client.js")
        svelte = {side: Path(made, f"App.{side}.js") for side in ("server", "client")}
        if framework == "svelte":
            for side, out in svelte.items():
                _run("node", str(HERE / "compile_svelte.mjs"), str(HERE / "App.svelte"), side, str(out))
        for side, out in (("server", server), ("client", client)):
            platform = "--platform=node" if side == "server" else "--platform=browser"
            # On a server Svelte is the module that its conditions name, not the one for browsers.
            options = [each for each in OPTIONS if side == "client" or not each.startswith("--format")]
            alias = f"--alias:svelte-app-{side}={svelte[side]}"
            entry = str(HERE / f"{framework}_{side}.{suffix}")
            _run("node_modules/.bin/esbuild", entry, *options, platform, alias, f"--outfile={out}")
        body = _run("node", str(server))
        script = client.read_text("utf-8")
    return f"<!doctype html><html lang=en><title>{framework}</title><div id=app>{body.strip()}</div>", script


def _run(*command: str) -> str:
    path = f"{INSTALLED.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "NODE_PATH": str(INSTALLED / "node_modules"), "PATH": path}
    program = str(INSTALLED / command[0]) if "/" in command[0] else command[0]
    done = subprocess.run([program, *command[1:]], env=environment, check=True, capture_output=True, text=True)
    return done.stdout

"""The pages of widget libraries: each is a script of ours in pages/, bundled with the library by esbuild."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PAGES = HERE / "pages"
PACKAGES = (HERE / "packages.txt", HERE / "more_packages.txt")
# Set up by `make test`: the packages as npm installs them, and the bundles, so that each is made once.
INSTALLED = HERE.parents[1] / ".venv" / "widgets"
BUNDLES = INSTALLED / "bundles"
OPTIONS = (
    "--bundle",
    "--minify",
    "--format=iife",
    "--jsx=automatic",
    "--log-level=error",
    "--define:process.env.NODE_ENV='production'",
    "--define:__VUE_OPTIONS_API__=true",
    "--define:__VUE_PROD_DEVTOOLS__=false",
    "--define:__VUE_PROD_HYDRATION_MISMATCH_DETAILS__=false",
    # The build of Vue that compiles the templates in our pages.
    "--alias:vue=vue/dist/vue.esm-bundler.js",
    *(f"--loader:.{kind}=dataurl" for kind in ("woff", "woff2", "ttf", "eot", "svg", "png", "gif")),
)


class NotInstalled(Exception):
    """The packages are not there, or are not those of packages.txt."""


@dataclass(frozen=True)
class Bundle:
    """The script and the style sheet of a page, its library included."""

    script: str
    style: str


def source_of(library: str) -> Path:
    """Return the script of a library's page."""
    (source,) = PAGES.glob(f"*/{library}.js*")
    return source


def bundle(library: str) -> Bundle:
    """Bundle the page of a library, or read the bundle of an earlier run."""
    source = source_of(library)
    script = BUNDLES / f"{library}-{_version(source)}.js"
    if not script.exists():
        _make(source, script)
    style = script.with_suffix(".css")
    return Bundle(script.read_text("utf-8"), style.read_text("utf-8") if style.exists() else "")


def document(library: str) -> str:
    """Return the document of a library's page; script and style are beside it."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{library}</title>
<link rel="stylesheet" href="/{library}/page.css">
</head>
<body>
<div id="app"></div>
<script src="/{library}/page.js"></script>
</body>
</html>"""


def _version(source: Path) -> str:
    """Return a digest of all that the bundle depends on."""
    parts = (source.read_bytes(), *(each.read_bytes() for each in PACKAGES), repr(OPTIONS).encode())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]


def _make(source: Path, script: Path) -> None:
    esbuild = INSTALLED / "node_modules" / ".bin" / "esbuild"
    if not esbuild.exists():
        raise NotInstalled("run `make .venv/widgets/ready`, which installs the widget libraries")
    BUNDLES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUNDLES) as folder:
        # The packages are not in a folder above the page, where they would be found without NODE_PATH.
        env = {
            **os.environ,
            "NODE_PATH": str(INSTALLED / "node_modules"),
            "PATH": f"{INSTALLED.parent / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }
        command = [str(esbuild), str(source), *OPTIONS, f"--outfile={folder}/{script.name}"]
        subprocess.run(command, env=env, check=True)
        # Moved when complete, the script last: another worker may look for this bundle, or make it too.
        for made in sorted(Path(folder).iterdir()):
            made.replace(script.with_suffix(made.suffix))

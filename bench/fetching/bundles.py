"""Pages of frameworks: drawn by their scripts alone, or rendered on a server and then taken over by them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.widgets.bundles import INSTALLED, OPTIONS

PARAGRAPH = "Green tea is made of leaves that were heated soon after picking, so that they stay green and fresh."
REACT = f"""
import {{ createElement as h }} from "react";
const text = Array.from({{ length: 8 }}, (_, i) => h("p", {{ key: i }}, `${{i}}. {PARAGRAPH}`));
export const App = () => h("main", null, h("h1", null, "Green tea"), text);
"""
VUE = f"""
import {{ createSSRApp, createApp, h }} from "vue";
const text = () => Array.from({{ length: 8 }}, (_, i) => h("p", `${{i}}. {PARAGRAPH}`));
const render = () => h("main", null, [h("h1", "Green tea"), ...text()]);
export const app = (isServer) => (isServer ? createSSRApp : createApp)({{ render }});
"""
# By framework: what draws the page in an empty element, and what takes over one that a server has rendered.
SCRIPTS = {
    "react": """
import { createRoot } from "react-dom/client";
import { createElement } from "react";
import { App } from "./app";
createRoot(document.getElementById("root")).render(createElement(App));""",
    "react-hydrate": """
import { hydrateRoot } from "react-dom/client";
import { createElement } from "react";
import { App } from "./app";
hydrateRoot(document.getElementById("root"), createElement(App));""",
    "vue": 'import { app } from "./app"; app(false).mount("#app");',
    "vue-hydrate": 'import { app } from "./app"; app(true).mount("#app");',
    "preact": f"""
import {{ render, h }} from "preact";
const text = Array.from({{ length: 8 }}, () => h("p", null, "{PARAGRAPH}"));
render(h("main", null, h("h1", null, "Green tea"), text), document.body);""",
    "lit": f"""
import {{ LitElement, html }} from "lit";
const text = Array.from({{ length: 8 }}, () => html`<p>{PARAGRAPH}</p>`);
customElements.define("tea-app", class extends LitElement {{
  render() {{ return html`<main><h1>Green tea</h1>${{text}}</main>`; }}
}});""",
    "jquery": f"""
import $ from "jquery";
$(() => $("#content").html("<h1>Green tea</h1>" + "<p>{PARAGRAPH}</p>".repeat(8)));""",
}
SERVERS = {
    "react": """
import { renderToString } from "react-dom/server";
import { createElement } from "react";
import { App } from "./app";
console.log(renderToString(createElement(App)));""",
    "vue": """
import { renderToString } from "@vue/server-renderer";
import { app } from "./app";
renderToString(app(true)).then(console.log);""",
}


def bundled(name: str, folder: Path) -> str:
    """Return the script of a page, with its framework."""
    return _esbuild(folder, name, SCRIPTS[name], *OPTIONS).read_text("utf-8")


def rendered(framework: str, folder: Path) -> str:
    """Return what a server would render."""
    options = [option for option in OPTIONS if not option.startswith(("--format", "--minify"))]
    program = _esbuild(folder, framework, SERVERS[framework], *options, "--platform=node", "--format=cjs")
    done = subprocess.run(["node", str(program)], env=_environment(), check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _esbuild(folder: Path, name: str, source: str, *options: str) -> Path:
    (folder / "app.js").write_text(VUE if "vue" in name else REACT)
    entry, made = folder / f"{name}-entry.js", folder / f"{name}-bundle.js"
    entry.write_text(source)
    esbuild = INSTALLED / "node_modules" / ".bin" / "esbuild"
    subprocess.run([str(esbuild), str(entry), *options, f"--outfile={made}"], env=_environment(), check=True)
    return made


def _environment() -> dict[str, str]:
    path = f"{INSTALLED.parent / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "NODE_PATH": str(INSTALLED / "node_modules"), "PATH": path}

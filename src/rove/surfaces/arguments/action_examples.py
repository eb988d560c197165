"""Examples in the help of commands."""

from __future__ import annotations

EXAMPLES = {
    "open": """\
examples:
  rove open example.com                     answers with the page; [e12] are refs for other commands
  rove open localhost:3000 --allow-host localhost:3000
  rove open https://example.com --session shop
""",
    "click": """\
examples:
  rove click e12                            a ref of the page that was shown
  rove click 'button "Save"'                by role and name
  rove click 'css=.menu > a' --button right
""",
    "fill": """\
examples:
  rove fill e7 "Ada Lovelace"
  rove fill 'textbox "Password"' secret:shop    a secret of the owner, by its name
""",
    "fill-form": """\
examples:
  rove fill-form '{"target": "e3", "value": "Ada"}' '{"target": "e5", "value": true}'
  rove batch "fill e3 Ada" "check e5"       the same, as steps
""",
    "tabs": """\
examples:
  rove tabs                                 those that are open
  rove tabs new example.com
  rove tabs switch t2
""",
    "offline": """\
examples:
  rove offline                              without a network
  rove offline --no-offline                 with it again
""",
    "intercept": """\
examples:
  rove intercept --rule block --url 'https://ads.example.com/*'
  rove intercept --url 'https://api.example.com/v1/user' --body '{"name": "Ada"}'
  rove intercept remove --number 1
""",
    "batch": """\
examples:
  rove batch "fill e7 Ada" "click e12"      several acts, one answer
  rove batch --file steps.txt               a step a line, or a JSON array:
      [{"action": "fill", "target": "e7", "value": "Ada"}, {"action": "click", "target": "e12"}]
  echo 'click e12' | rove batch
  rove batch "click e12" --session shop     --session, --tab and --timeout hold for all steps
""",
    "screenshot": """\
examples:
  rove screenshot --out page.png
  rove screenshot --annotate                with the refs drawn beside the elements
  rove screenshot e12 --out button.png
""",
    "dialog": """\
examples:
  rove dialog true                          OK
  rove dialog false                         Cancel
  rove dialog true --text "Ada"             the answer to a prompt
""",
    "replay": """\
examples:
  rove replay order                         what `rove record order` has recorded
  rove replay order --set name=Bob          with another value of a parameter
  rove replay order --session fresh --allow-host localhost:3000
  rove replay order --update                keep what was healed in the recording
""",
    "expect": """\
examples:
  rove expect --text "Order placed"         exit code 1 if it does not come to be shown
  rove expect --url '*/done'
  rove expect --target 'row' --count 3
""",
    "wait": """\
examples:
  rove wait "Order placed"
  rove wait --gone Loading
  rove wait --url '**/done'
""",
}

"""rove's tools for browser-use.

async with rove.open() as session:
    agent = Agent("Order a Sencha", llm=model, tools=rove.adapters.browser_use.tools(session))
    await agent.run()

The tools replace those by which browser-use drives its own browser. It opens that browser all the same, and shows its
model that page, which stays empty; what the model sees of rove's pages are the answers to its calls.
"""

from __future__ import annotations

import base64
from typing import Any, Literal, cast

from browser_use import ActionResult, Tools
from pydantic import BaseModel, Field, create_model

from rove.surfaces.library.session import Session
from rove.surfaces.library.tools import SessionTools
from rove.toolsets.tool import Answer, Tool

# What browser-use offers besides its browser.
KEPT = frozenset({"done", "wait", "write_file", "replace_file", "read_file"})
_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list[Any],
    "object": dict[str, Any],
}


def tools(session: Session) -> Tools[Any]:
    """Return tools for an Agent of browser-use: those of a session, and of its own those without a browser."""
    own = SessionTools(session)
    made: Tools[Any] = Tools(exclude_actions=[name for name in Tools().registry.registry.actions if name not in KEPT])
    for tool in own.values():
        _add(made, own, tool)
    return made


def _add(made: Tools[Any], own: SessionTools, tool: Tool) -> None:
    async def call(params: BaseModel) -> ActionResult:
        return _result(tool.name, await own.call(tool.name, params.model_dump(exclude_none=True)))

    call.__name__ = tool.name
    made.registry.action(tool.description, param_model=_model_of(tool))(call)


def _model_of(tool: Tool) -> type[BaseModel]:
    """Return a model of a tool's arguments; rove itself checks them further."""
    required = tool.schema.get("required", ())
    fields = {name: _field(schema, name in required) for name, schema in tool.schema["properties"].items()}
    return create_model(tool.name, **cast(Any, fields))


def _field(schema: dict[str, Any], is_required: bool) -> tuple[Any, Any]:
    kind = Literal[tuple(schema["enum"])] if "enum" in schema else _TYPES.get(schema.get("type", ""), Any)
    description = schema.get("description", "")
    if is_required:
        return kind, Field(description=description)
    return kind | None, Field(default=None, description=description)


def _result(name: str, answer: Answer) -> ActionResult:
    if answer.is_error:
        return ActionResult(error=answer.text)
    pictures = [
        {"name": f"{name}.{each.mime.partition('/')[2]}", "data": base64.b64encode(each.data).decode("ascii")}
        for each in answer.attachments
        if each.kind == "image"
    ]
    return ActionResult(extracted_content=answer.text, images=pictures or None)

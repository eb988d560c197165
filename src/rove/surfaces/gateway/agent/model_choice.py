"""Which model answers in the chat. Knows it without loading any library of models, which takes seconds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rove.errors import InvalidSettings, MissingKey
from rove.settings.tree import Settings
from rove.surfaces.gateway.agent import tea_room
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from pydantic_ai.models import Model

# The environment variable that has the key of each provider.
KEYS = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "openai-chat": "OPENAI_API_KEY",
    "openai-responses": "OPENAI_API_KEY",
}
# A server of one's own mostly needs no key, but the client library wants one.
NO_KEY = "none"


EXAMPLES = "anthropic:claude-sonnet-5-5 or openai:gpt-5.6-sol"


@dataclass(frozen=True)
class ModelInfo:
    """What clients are told of the model."""

    name: str
    is_scripted: bool


def model_info(settings: Settings) -> ModelInfo:
    """Return the name of the model that the settings choose, or of the built-in script if they choose none."""
    name = settings.serve.model
    return ModelInfo(tea_room.NAME, True) if name is None else ModelInfo(name, False)


def refuse_unknown_model(settings: Settings) -> None:
    """Raise InvalidSettings for a model that no provider can have, before the server starts."""
    name, url = settings.serve.model, settings.serve.model_url
    if name is None or (url is not None and name):
        return
    provider, _, model = name.partition(":")
    if not provider or not model:
        raise InvalidSettings(
            f"`{name}` names no model: write its provider, a colon and its name.", hint=f"Such as {EXAMPLES}."
        )


def chosen_model(settings: Settings, demo_site: str | None) -> Model:
    """Return the model. Raises InvalidSettings if it is not known, and MissingKey if its provider needs a key."""
    serve = settings.serve
    if serve.model is None:
        from rove.surfaces.gateway.agent.scripted_model import ScriptedModel

        return ScriptedModel(demo_site)
    if serve.model_url is not None:
        return _compatible_model(serve.model, serve.model_url)
    return _model_of_provider(serve.model)


def _compatible_model(name: str, url: str) -> Model:
    """Return a model behind a server that speaks OpenAI's protocol."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    key = os.environ.get("OPENAI_API_KEY") or NO_KEY
    provider = OpenAICompatibleProvider("openai-compatible", base_url=url, api_key=key)
    return OpenAIChatModel(name.removeprefix("openai:"), provider=provider)


def _model_of_provider(name: str) -> Model:
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.models import infer_model

    provider = name.partition(":")[0]
    variable = KEYS.get(provider)
    if variable is not None and not os.environ.get(variable):
        raise MissingKey(
            f"The model {name} needs a key, and the environment variable {variable} is not set.",
            hint=f"Set {variable} and start rove serve again; without --serve-model, a built-in script answers.",
        )
    try:
        return infer_model(name)
    except (UserError, ImportError, ValueError) as error:
        raise InvalidSettings(
            f"The model {name} cannot be used: {error}",
            hint=f"Set --serve-model to one such as {EXAMPLES}.",
        ) from error

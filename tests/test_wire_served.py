"""Who answered: providers strictly, models under the alias and dated names that routers echo."""

from __future__ import annotations

import pytest

from generator.probing.wire_served import same_model, same_provider

SONNET = ("anthropic/claude-4.5-sonnet-20250929", "anthropic/claude-sonnet-4.5")
CHAT = ("deepseek/deepseek-chat-v3-0324", "deepseek/deepseek-chat-v3-0324")
PLAIN = ("openai/gpt-4o", "openai/gpt-4o")


@pytest.mark.parametrize(
    ("asked", "served", "same"),
    [
        (SONNET, "anthropic/claude-4.5-sonnet-20250929", True),
        (SONNET, "anthropic/claude-sonnet-4.5", True),
        (SONNET, "anthropic/claude-4.5-sonnet", True),
        (SONNET, "anthropic/claude-sonnet-4.5-2025-09-29", True),
        (SONNET, "claude-sonnet-4.5", True),
        (SONNET, "Anthropic/Claude-Sonnet-4.5", True),
        (SONNET, "anthropic/claude-sonnet-4.5-20250514", False),
        (SONNET, "anthropic/claude-sonnet-4", False),
        (SONNET, "anthropic/claude-4.5-haiku-20250929", False),
        (SONNET, "other/claude-sonnet-4.5", False),
        (SONNET, "anthropic/claude-sonnet-4.5:thinking", False),
        (PLAIN, "openai/gpt-4o-2024-08-06", True),
        (PLAIN, "openai/gpt-4o-mini", False),
        (PLAIN, "open-ai/gpt-4o", True),
        (CHAT, "deepseek/deepseek-chat-v3", True),
        (CHAT, "deepseek/deepseek-chat-v3-0814", False),
        (CHAT, "deepseek/deepseek-chat-v3-20250324", True),
        (CHAT, "deepseek/deepseek-chat-v3-2025-08-14", False),
        (SONNET, "anthropic/claude-sonnet-4.5-0929", True),
        (SONNET, "anthropic/claude-sonnet-4.5-2509", True),
        (SONNET, "anthropic/claude-sonnet-4.5-2025", False),
        (CHAT, "deepseek/deepseek-chat-v3.1", False),
        (CHAT, "deepseek/deepseek-chat", False),
        (("a/b:free", "a/b:free"), "a/b:free", True),
        (("a/b:free", "a/b:free"), "a/b", False),
        (PLAIN, "", False),
        (PLAIN, "/", False),
        (PLAIN, "-", False),
    ],
)
def test_models(asked: tuple[str, str], served: str, same: bool):  # noqa: FBT001 - a column of a table
    """A name of the same model passes; another model, variant or snapshot does not."""
    assert same_model(asked, served) is same


@pytest.mark.parametrize(
    ("asked", "served", "same"),
    [
        ("Elm", "Elm", True),
        ("Elm", " elm ", True),
        ("Elm", "Elm 2", False),
        ("Elm", "elm/fp8", False),
        ("Google", "Google AI Studio", False),
        ("Elm", "", False),
    ],
)
def test_providers(asked: str, served: str, same: bool):  # noqa: FBT001 - a column of a table
    """A provider is the one that was asked, letter for letter but for case and white space around it."""
    assert same_provider(asked, served) is same

"""The glossary: every word that has one meaning, alphabetically, each at an address and led to its definition."""

from __future__ import annotations

import re

import pytest
import site_material as made

from generator.errors import ContentError
from generator.site import glossary_view
from generator.site.anchors import ANCHORS
from generator.site.library import arrange

PAGE = "glossary/index.html"

VOCABULARY = """
model router provider endpoint listing tag declared-precision night window window-end family prompt fixed-prompt
generated-prompt prompt-set seed observation outcome answer reference match self-disagreement floor stable column letter
grade unit method-version definition provisional permanent-page permalink view archive seal journal log leaf checkpoint
proof finding plan ask collect tally render publish verify calibrate explain
"""
"""The words of the architecture page, nouns and verbs."""
METHOD = """
declared measured absent answered truncated empty error misrouted unsent recorded void pair own-variation task-accuracy
reliability latency-class price context unrated identity succession not-separable final candidate current superseded
within outside normaliser answer-key
"""
"""The words of the method."""


def rendered(text: str) -> bytes:
    """Return the glossary's page from other text."""
    library = arrange(made.material(pages={**made.pages(), "glossary": text}))
    return dict(glossary_view.render(library, made.TEMPLATES))[PAGE]


def ids(site: str = "live") -> list[str]:
    """Return the ids of the words in the order of the page."""
    return [heading.get("id", "") for heading in made.parsed(made.sites()[site][PAGE]).iter("h2")]


class TestWords:
    """'Glossary: every term of the vocabulary and of the method, in our words, alphabetical, with anchors'."""

    @pytest.mark.parametrize("word", [*VOCABULARY.split(), *METHOD.split()])
    def test_stands_with_words_of_its_own(self, word: str):
        """Each has an id and a paragraph."""
        tree = made.parsed(made.sites()["live"][PAGE])
        prose = tree.find(".//div[@class='prose glossary']")
        assert prose is not None
        children = list(prose)
        at = next(index for index, child in enumerate(children) if child.get("id") == word)
        assert children[at + 1].tag == "p"
        assert len(made.text_of(children[at + 1]).split()) > 5

    def test_order_is_alphabetical(self):
        """The words stand alphabetically, in the contents as on the page."""
        tree = made.parsed(made.sites()["live"][PAGE])
        words = [made.text_of(heading).casefold() for heading in tree.iter("h2")]
        assert words == sorted(words)
        assert len(words) == len(set(words)) > 80
        contents = tree.find(".//nav[@aria-label='Words']")
        assert contents is not None
        assert [anchor.get("href") for anchor in contents.iter("a")] == [f"#{word}" for word in ids()]

    def test_each_sentence_of_the_method_is_led_to(self):
        """Every place on the method page that figures link to is linked from a word, under the current version."""
        hrefs = {anchor.get("href", "") for anchor in made.parsed(made.sites()["live"][PAGE]).iter("a")}
        led = {href.partition("#")[2] for href in hrefs if href.startswith("../method/0.1/index.html#")}
        assert led == set(ANCHORS)

    def test_leads_to_the_version_that_is_current(self):
        """Under another current version the links lead to that version's page."""
        own = made.settings(method="0.2")
        library = arrange(made.material(settings=own))
        page = dict(glossary_view.render(library, made.TEMPLATES))[PAGE].decode()
        assert '"../method/0.2/index.html#floor"' in page
        assert "method/0.1/" not in page

    @pytest.mark.parametrize("word", ["Checkpoint", "Leaf", "Log", "Proof"])
    def test_the_log_has_its_words(self, word: str):
        """Each says what it is, and none that it is still to come."""
        assert word.lower() in ids("live")
        assert "Not kept yet" not in made.page_text(made.sites()["live"][PAGE])

    def test_is_there_before_the_first_night(self):
        """A site without a night has the same words."""
        assert ids("empty") == ids("live")


class TestBadText:
    """'Bad input: one clear message'."""

    def test_out_of_order(self):
        """A word that stands after a later one is named, with the file."""
        with pytest.raises(ContentError, match=r"found 'Alpha' after 'Beta' in content/pages/glossary\.md"):
            rendered("# G\n\n## Beta {#beta}\n\nb\n\n## Alpha {#alpha}\n\na\n")

    def test_a_link_to_no_sentence(self):
        """A link to what the method page does not have is named."""
        with pytest.raises(ContentError, match=r"found 'method:ceiling' in content/pages/glossary\.md"):
            rendered("# G\n\n## Alpha {#alpha}\n\n[x](method:ceiling)\n")

    def test_missing(self):
        """A root without the file is told which one."""
        pages = made.pages()
        del pages["glossary"]
        library = arrange(made.material(pages=pages))
        with pytest.raises(ContentError, match=r"content/pages/glossary\.md"):
            list(glossary_view.render(library, made.TEMPLATES))

    def test_without_a_title(self):
        """Text without a title of its own is called Glossary."""
        assert re.search(rb"<h1>Glossary</h1>", rendered("## Alpha {#alpha}\n\na\n"))

"""The history strip: every window, its letter and four columns, in letters or by month, equal to the table's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any

import msgspec
import picture_reader as seen
import pytest
import site_material as made
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_drawing import plain_figure, plain_strokes

from generator.records import permalink
from generator.records.grade import Column, Grade, Letter
from generator.records.reading import NO_LETTER
from generator.site import endpoint_views, history_chart
from generator.site.drawing import Texture
from generator.site.history_bars import LANES, TEXTURES, Month, bars
from generator.site.history_chart import Window
from generator.site.library import arrange
from generator.site.links import INDEX

START = date(2025, 1, 30)
EVERY = tuple(Letter)


def turning(place: int) -> tuple[Letter | None, ...]:
    """Return letters that run through all of them, a column each at its own pace; now and then none is measured."""
    letter, columns = EVERY[place // 4 % 5], [EVERY[place // step % 4] for step in (1, 2, 3, 5)]
    return letter, *(None if place % 7 == lane else each for lane, each in enumerate(columns))


def unrated(_: int) -> tuple[Letter | None, ...]:
    """Return nothing but U, without a measured column."""
    return Letter.U, None, None, None, None


def rows_of(page: bytes) -> list[Any]:
    """Return the rows of a page's table of permanent grades."""
    (table,) = (each for each in made.parsed(page).iter("table") if "never changes" in made.text_of(each))
    return list(table.findall("tbody/tr"))


def changes_on(page: bytes) -> list[str]:
    """Return the rows of a page's table of dated changes; none where it has none."""
    found = [each for each in made.parsed(page).iter("table") if "Changes of letter under" in made.text_of(each)]
    return [made.text_of(row) for table in found for row in table.findall("tbody/tr")]


def windows(
    count: int, letters: Callable[[int], tuple[Letter | None, ...]] = turning, missing: int = 0
) -> tuple[Window, ...]:
    """Return a history of so many nights in a row; every so many windows, one has no grade."""
    nights = [START + timedelta(days=day) for day in range(count)]
    grades = []
    for place, night in enumerate(nights):
        if not (missing and 0 < place < count - 1 and place % missing == 0):
            letter, m, t, d, r = letters(place)
            own = {"letter": letter, "m_letter": m, "t_letter": t, "d_letter": d, "r_letter": r}
            grades.append(made.grade(nights=(night,), **own))
    return history_chart.history(grades, nights)


def chart(shown: tuple[Window, ...]) -> seen.Element:
    """Return the tree of a strip under 0.1."""
    return seen.tree(history_chart.chart("h", shown, "0.1"))


SHAPES = [
    pytest.param(windows(1), id="one night"),
    pytest.param(windows(28), id="four weeks"),
    pytest.param(windows(120, missing=9), id="120 nights"),
    pytest.param(windows(121, missing=9), id="121 nights"),
    pytest.param(windows(400), id="400 nights"),
    pytest.param(windows(1100, missing=5), id="1100 nights"),
    pytest.param(windows(60, unrated), id="all U"),
    pytest.param(windows(400, unrated, missing=2), id="all U, every other one missing"),
]


class TestEveryStrip:
    """'1 night, 400 nights, all U': readable whatever the history is."""

    @pytest.mark.parametrize("shown", SHAPES)
    def test_nothing_lies_outside_or_on_something_else(self, shown: tuple[Window, ...]):
        """Every mark lies inside the view box, and no text stands on another."""
        for drawn in seen.trees(history_chart.chart("h", shown, "0.1")):
            assert seen.outside(drawn) == []
            assert seen.overlapping(drawn) == []

    @pytest.mark.parametrize("shown", SHAPES)
    def test_title_names_the_version_and_description_counts(self, shown: tuple[Window, ...]):
        """Letters never stand without their version and columns: the description has all five lanes' counts."""
        title, description = seen.said(chart(shown))
        assert title.endswith("under method version 0.1")
        graded = [window.grade for window in shown if window.grade]
        for lane, column in zip("MTDR", Column, strict=True):
            read = Counter(grade.column_letter(column) for grade in graded)
            for letter, count in read.items():
                assert re.search(rf" {lane} [^;]*{letter or 'not measured'} {count:,}\b", description)
        assert description.endswith(f"no grade {len(shown) - len(graded):,}.")

    @pytest.mark.parametrize("shown", SHAPES)
    def test_stays_small(self, shown: tuple[Window, ...]):
        """Three years of every letter take under 250 kB for two widths; none is taller than three times its width."""
        assert len(history_chart.chart("h", shown, "0.1").encode()) < 250_000
        assert seen.size(chart(shown))[1] < 3 * 360

    def test_equal_histories_give_equal_bytes(self):
        """The order in which grades and nights come in does not matter."""
        shown = windows(130, missing=4)
        grades = [window.grade for window in shown if window.grade]
        again = history_chart.history(reversed(grades), reversed([window.end for window in shown]))
        assert history_chart.chart("h", again, "0.1") == history_chart.chart("h", shown, "0.1")


class TestWindows:
    def test_each_recorded_night_between_two_grades_ends_a_window(self):
        """A night without a grade is a window without one; before the first grade and after the last there is none."""
        nights = [START + timedelta(days=day) for day in range(6)]
        graded = [made.grade(nights=(nights[1],)), made.grade(nights=(nights[4],))]
        found = history_chart.history(graded, [*nights[:2], *nights[3:]])
        assert [(window.end, window.grade is not None) for window in found] == [
            (nights[1], True),
            (nights[3], False),
            (nights[4], True),
        ]

    def test_without_a_grade_there_is_no_history(self):
        """Recorded nights alone make no window of an endpoint."""
        assert history_chart.history((), [START]) == ()
        assert history_chart.history((), [START], since=START - timedelta(days=9)) == ()

    def test_after_an_earlier_grade_a_night_without_one_is_a_window_too(self):
        """Split anywhere, the months before and the windows after are those of the whole history."""
        nights = [START + timedelta(days=day) for day in range(70)]
        every = [made.grade(nights=(night,)) for night in (nights[0], nights[9], nights[50], nights[60])]
        whole = history_chart.history(every, nights)
        march = date(2025, 3, 1)
        newest = history_chart.history(every[2:], [night for night in nights if night >= march], since=nights[0])
        assert newest == tuple(window for window in whole if window.end >= march)
        assert newest[0] == Window(end=march, grade=None)
        assert history_chart.history(every, nights, since=nights[0]) == whole


class TestLetters:
    """'history strip of letters and the four columns per endpoint'."""

    def test_each_column_of_glyphs_is_a_window(self):
        """Read down, every column has the letters of its grade, a dash for what is not measured, a dot for no grade."""
        shown = windows(100, missing=9)
        lanes = dict.fromkeys(LANES, "")
        drawn = list(chart(shown).iter("text"))
        for title, glyphs in pairwise(drawn):
            if title.text in lanes:
                said = "".join(glyphs.itertext())
                assert len(glyphs.get("x", "").split()) == len(said)
                lanes[title.text] += said
        read = list(zip(*lanes.values(), strict=True))
        assert read == [
            tuple(letter or NO_LETTER for letter in window.letters) if window.grade else ("\N{MIDDLE DOT}",) * 5
            for window in shown
        ]

    def test_a_run_of_one_letter_has_the_frame_of_that_letter(self):
        """Five letters have five frames: one line, two, dashes, dots, and lines above and below alone."""
        frames = {}
        for letter in Letter:
            held = chart(windows(3, lambda _, letter=letter: (letter, *(Letter.A,) * 4)))
            (group,) = held.iter("g")
            assert group.get("class") == letter
            frames[letter] = (group.get("stroke-dasharray"), *(part.tag for part in group))
        assert frames == {
            Letter.A: (None, "rect"),
            Letter.B: (None, "rect", "rect"),
            Letter.C: ("4 2", "rect"),
            Letter.D: ("1 2", "rect"),
            Letter.U: (None, "path", "path"),
        }

    def test_a_change_of_letter_ends_a_frame(self):
        """Four windows of A and four of B are two frames, each as wide as its run."""
        held = chart(windows(8))
        wide = [group.find("rect") for group in held.iter("g")]
        assert [round(float(rect.get("width", "")) + 1, 1) for rect in wide if rect is not None] == [41.4, 41.4]

    def test_letters_have_the_class_that_colours_them_on_every_page(self):
        """Each letter is drawn in a run of its own class; a dash and a dot have none."""
        for drawn in seen.trees(history_chart.chart("h", windows(100, missing=9), "0.1")):
            runs = [each for each in drawn.iter("tspan") if each.get("class")]
            assert {each.get("class") for each in runs} == set(EVERY)
            assert all(set(each.text or "") == {each.get("class")} for each in runs)

    def test_more_than_one_line_is_drawn_for_two_widths(self):
        """Four weeks have one drawing; a window more has a slim one and a broad one, under ids of their own."""
        assert len(seen.trees(history_chart.chart("h", windows(28), "0.1"))) == 1
        slim, broad = seen.trees(history_chart.chart("h", windows(29), "0.1"))
        assert (slim.get("class"), broad.get("class")) == ("wide slim", "wide broad")
        assert (seen.size(slim)[0], seen.size(broad)[0]) == (360, 700)
        assert seen.said(slim) == seen.said(broad)
        assert slim.get("aria-labelledby") != broad.get("aria-labelledby")

    def test_a_line_says_what_it_spans(self):
        """28 windows fill a line; each line says the first and the last night that a window of it ended with."""
        said = [text for text in seen.texts(chart(windows(30))) if " to " in text]
        assert said == ["2025-01-30 to 2025-02-26", "2025-02-27 to 2025-02-28"]


class TestMonths:
    """'past ~120 windows, bands by month (say how)'."""

    def test_bars_are_as_high_as_the_table_says(self):
        """Each month's bar of each lane holds the letters of its row in the table, in their order, to the count."""
        shown = windows(400, missing=5)
        found = history_chart.months(shown)
        kinds = {str(texture): letter for letter, texture in TEXTURES.items()}
        drawn = [rect for rect in seen.rects(chart(shown), *kinds) if rect[4] != 12]
        heads = history_chart.month_table(found, "0.1").heads
        rows = history_chart.month_table(found, "0.1").rows
        read: dict[tuple[int, int], list[tuple[Letter, int]]] = {}
        for kind, x, y, width, high in drawn:
            assert width == 10
            month, lane = int(x - 58) // 12, int(y - 26) // 23
            read.setdefault((lane, month), []).append((kinds[kind], round(high * found[month].windows / 18)))
        assert heads == ("Month", "Windows", "Grade", "M", "T", "D", "R", "No grade")
        for month, row in enumerate(rows):
            for lane in range(5):
                words = ", ".join(f"{letter} {count}" for letter, count in read[lane, month])
                assert re.sub(r", not measured \d+", "", row[2 + lane]) == words
            assert int(row[1]) == int(row[7]) + sum(count for _, count in read[0, month])

    def test_the_newest_four_weeks_stay_in_letters(self):
        """Below the months stand the last 28 windows, a letter each."""
        shown = windows(121)
        glyphs = [text for text in seen.texts(chart(shown)) if len(text) == 28]
        assert glyphs[0] == "".join(window.grade.letter for window in shown[-28:] if window.grade)
        assert len(glyphs) == 5

    def test_120_windows_stand_in_letters_alone(self):
        """Up to 120 windows there is no bar and no legend."""
        assert seen.rects(chart(windows(120)), *map(str, TEXTURES.values())) == []

    def test_a_month_without_a_grade_has_no_bar(self):
        """Its row says so: every window of it has no grade."""
        nights = [START + timedelta(days=day) for day in range(130)]
        shown = history_chart.history([made.grade(nights=(nights[0],)), made.grade(nights=(nights[-1],))], nights)
        months = history_chart.months(shown)
        assert months[1].cells == ("2025-02", "28", "none", "none", "none", "none", "none", "28")
        assert seen.outside(chart(shown)) == []

    def test_textures_tell_the_letters_apart_without_colour(self):
        """No two letters share a texture, and the legend shows each beside its letter."""
        assert len(set(TEXTURES.values())) == len(TEXTURES) == 5
        legend = [rect[0] for rect in seen.rects(chart(windows(121))) if rect[4] == 12]
        assert legend == ["plain", "dots", "slant", "full", "level"]
        assert seen.texts(chart(windows(121)))[:5] == list("ABCDU")


class TestPast:
    """Months of which only the counts are known stand before the windows."""

    @staticmethod
    def split(shown: tuple[Window, ...], name: str) -> tuple[tuple[Month, ...], tuple[Window, ...]]:
        """Return the months before one, and the windows from it on."""
        past = tuple(month for month in history_chart.months(shown) if month.name < name)
        return past, tuple(window for window in shown if window.end.isoformat() >= name)

    @pytest.mark.parametrize("name", ["2025-02", "2025-09", "2026-02", "2026-03"])
    def test_the_strip_is_that_of_all_windows(self, name: str):
        """However many months are past, the marks are those of the whole history, and so is what is said of it."""
        shown, kinds = windows(400, missing=7), [str(texture) for texture in TEXTURES.values()]
        past, newest = self.split(shown, name)
        found = seen.trees(history_chart.chart("h", newest, "0.1", past))
        for part, whole in zip(found, seen.trees(history_chart.chart("h", shown, "0.1")), strict=True):
            assert seen.rects(part, *kinds) == seen.rects(whole, *kinds)
            title, said = seen.said(whole)
            assert seen.said(part) == (title, said.replace("2025-01-30 to 2026-03-05", "2025-01 to 2026-03"))
            count = min(len(newest), 28 if seen.size(part)[0] == 360 else 56)
            assert self.letters(part, count) == self.letters(whole, count)
            assert [len(lane) for lane in self.letters(part, 60)] == [count] * 5
            assert seen.outside(part) == seen.overlapping(part) == []

    @staticmethod
    def letters(drawn: seen.Element, count: int) -> list[str]:
        """Return the last so many letters of each lane below the bars."""
        texts = seen.texts(drawn)
        return [texts[at + 1][-count:] for at, text in enumerate(texts) if text in LANES][-5:]

    def test_few_windows_stand_by_month_too(self):
        """One window after a past month is the line of letters below two bars."""
        past, newest = self.split(windows(3), "2025-02")
        assert len(newest) == 1
        texts = seen.texts(seen.trees(history_chart.chart("h", newest, "0.1", past))[0])
        assert [text for text in texts if text.startswith("2025")] == ["2025-01 to 2025-02", "2025-02-01"]

    def test_without_windows_the_bars_stand_alone(self):
        """An endpoint whose windows are all past has its bars, its counts, and no line of letters."""
        shown = windows(130, missing=9)
        past = history_chart.months(shown)
        for part, whole in zip(
            seen.trees(history_chart.chart("h", (), "0.1", past)),
            seen.trees(history_chart.chart("h", shown, "0.1")),
            strict=True,
        ):
            kinds = [str(texture) for texture in TEXTURES.values()]
            assert seen.rects(part, *kinds) == seen.rects(whole, *kinds)
            assert seen.texts(part)[-1] == "2025-01 to 2025-06"
            assert not list(part.iter("tspan"))[5:]
            assert seen.size(part)[1] < seen.size(whole)[1]
        _, description = seen.said(chart_of(past[:1]))
        assert description.startswith("2 windows that ended 2025-01; Grade A 2; M ")

    def test_a_version_with_no_graded_month_says_so(self):
        """Months without a grade count as windows without one."""
        past = (Month(name="2025-02", windows=3, graded=0, lanes=({},) * 5),)
        _, description = seen.said(chart_of(past))
        assert description.endswith("Grade none; M none; T none; D none; R none; no grade 3.")


def chart_of(past: tuple[Month, ...]) -> seen.Element:
    """Return the slim tree of a strip of months alone."""
    return seen.trees(history_chart.chart("h", (), "0.1", past))[0]


def plain_bars(found: list[Month], y: int, across: int) -> str:
    """Return the bars of some months as they follow from fractions, each drawn anew."""
    drawn = ""
    for lane in range(5):
        ground = y + 23 * lane + 18
        for index, month in enumerate(found):
            x, width, top = 58 + across // 24 * index, across // 24 - 2, Fraction(ground)
            for letter in Letter:
                high = Fraction(18 * month.lanes[lane].get(letter, 0), month.windows)
                top -= high
                if high:
                    drawn += plain_box(letter, x, top, width, high)
    return drawn


def plain_box(letter: Letter, x: int, top: Fraction, width: int, high: Fraction) -> str:
    """Return one letter's part of a bar."""
    kind = TEXTURES[letter]
    size = f'width="{width}" height="{plain_figure(high)}"'
    inside = f'<rect class="{kind}" x="{x}" y="{plain_figure(top)}" {size}/>'
    if lines := plain_strokes(kind, x, top, width, high):
        dashes = ' stroke-dasharray="1 2"' if kind is Texture.DOTS else ""
        inside += f'<path class="faint"{dashes} d="{lines}"/>'
    return f'<g class="{letter}">{inside}</g>'


@st.composite
def drawn_months(draw: st.DrawFn) -> list[Month]:
    """Draw up to two years of months, each of up to 31 windows that read any letters."""
    count = draw(st.integers(min_value=1, max_value=24))
    found = []
    for index in range(count):
        total = draw(st.integers(min_value=1, max_value=31))
        cuts = st.lists(st.integers(min_value=0, max_value=total), min_size=5, max_size=5).map(sorted)
        lanes = [(0, *each) for each in draw(st.lists(cuts, min_size=5, max_size=5))]
        counts = ({x: b - a for x, (a, b) in zip(Letter, pairwise(lane), strict=True) if b > a} for lane in lanes)
        graded = max(lane[-1] for lane in lanes)
        found.append(
            Month(name=f"{2025 + index // 12}-{index % 12 + 1:02}", windows=total, graded=graded, lanes=tuple(counts))
        )
    return found


class TestRemembered:
    """What is remembered of one endpoint's bars is what another's are drawn as."""

    @given(drawn_months(), st.sampled_from([26, 167, 308]), st.sampled_from([290, 630]))
    @settings(max_examples=60, deadline=None)
    def test_bars_are_those_that_fractions_give(self, found: list[Month], y: int, across: int):
        """Whatever was drawn before, to the byte."""
        drawn = "".join(bars(found, y, across))
        assert "".join(re.findall(r"<g .*?</g>", drawn)) == plain_bars(found, y, across)

    def test_no_strip_depends_on_those_before_it(self):
        """Histories that differ in their letters alone have the same strips in either order."""
        some = [windows(150, missing=each) for each in (3, 4, 5)] + [windows(150, unrated), windows(40)]
        there = [history_chart.chart("h", each, "0.1") for each in some]
        again = [history_chart.chart("h", each, "0.1") for each in reversed(some)]
        assert there == again[::-1]
        assert len(set(there)) == len(some)


class TestEndpointPage:
    """'a window end links to its permanent page from the table; the table stays complete'."""

    @staticmethod
    def pages(grades: tuple[Grade, ...], nights: int) -> dict[str, bytes]:
        """Return alder's page and those of its months, by what follows its address, over nights that are recorded."""
        kept = [
            msgspec.structs.replace(night, endpoints=(made.listed(made.grade(), night.record.night),))
            for night in (made.night(START + timedelta(days=day)) for day in range(nights))
        ]
        material = made.material(grades=grades, nights=tuple(kept), explanations={})
        folder = permalink.endpoint_path(made.TREES, "alder")
        views = endpoint_views.render(arrange(material), made.TEMPLATES)
        return {path.removeprefix(folder): body for path, body in views if path.startswith(folder)}

    def page(self, grades: tuple[Grade, ...], nights: int) -> bytes:
        """Return alder's page alone."""
        return self.pages(grades, nights)[INDEX]

    def test_every_window_has_its_row(self):
        """The strip's windows are the newest month's rows and those of the months before; each leads to its page."""
        shown = windows(40, missing=9)
        pages = self.pages(tuple(window.grade for window in shown if window.grade), 40)
        body = pages.pop(INDEX)
        assert list(pages) == [f"2025-{month}/{INDEX}" for month in ("02", "01")]
        every = [row for row in rows_of(body) if made.text_of(row).startswith("2025-03")]
        every += [row for page in pages.values() for row in rows_of(page)]
        assert [made.text_of(row)[:10] for row in every] == [w.end.isoformat() for w in reversed(shown)]
        for row, window in zip(every, reversed(shown), strict=True):
            hrefs = [anchor.get("href", "") for anchor in row.iter("a")]
            if window.grade is None:
                assert "no grade under method version 0.1" in made.text_of(row)
                assert hrefs == []
            else:
                m, t, d, r = (letter or NO_LETTER for letter in window.letters[1:])
                assert f"{window.letters[0]} 0.1 · M {m} T {t} D {d} R {r}" in made.text_of(row)
                assert any(href.endswith(f"{window.end}/v0.1/index.html") for href in hrefs)
        assert "Each column is a window, under method version 0.1" in made.page_text(body)
        assert seen.texts(seen.on(body)[1]) == seen.texts(chart(shown))
        assert list(map(made.text_of, rows_of(body))) == list(map(made.text_of, every[:31]))

    def test_many_rows_stand_by_month_and_few_do_not(self):
        """Past 31 rows the newest are on the page, which names each month before with its number of windows."""
        for nights, months in ((31, []), (32, ["2025-02, 28", "2025-01, 2"])):
            pages = self.pages(tuple(w.grade for w in windows(nights) if w.grade), nights)
            tree = made.parsed(pages[INDEX])
            named = [made.text_of(each) for each in tree.iter("li") if re.match(r"\d{4}-\d\d,", made.text_of(each))]
            assert named == months
            assert len(pages) == 1 + len(months)
            assert len(rows_of(pages[INDEX])) == 31
            assert ("The newest 31 of 32" in made.page_text(pages[INDEX])) is bool(months)

    def test_the_months_have_every_change(self):
        """The page has the newest 31 of the changes, all of the newest month; the months before have theirs."""
        pages = self.pages(tuple(w.grade for w in windows(160) if w.grade), 160)
        newest = changes_on(pages.pop(INDEX))
        every = [change for change in newest if change[:7] > max(pages)[:7]]
        every += [change for page in pages.values() for change in changes_on(page)]
        assert len(every) > len(newest) == 31
        assert newest == every[:31]
        for path, page in pages.items():
            assert all(change.startswith(path[:7]) for change in changes_on(page))

    def test_a_month_leads_back(self):
        """Its page is a step below the endpoint's, which leads to it."""
        pages = self.pages(tuple(w.grade for w in windows(32) if w.grade), 32)
        steps = made.parsed(pages[f"2025-02/{INDEX}"]).findall(".//nav[@class='steps']//a")
        assert steps[-1].get("href") == "../index.html"
        assert 'href="2025-02/index.html"' in pages[INDEX].decode()

    def test_months_come_with_their_table(self):
        """Past 120 windows the page says what a bar is, and has the bars' figures."""
        text = made.page_text(self.page(tuple(w.grade for w in windows(121) if w.grade), 121))
        assert "Each bar is a month, under method version 0.1" in text
        assert "Windows by the month they ended in, under method version 0.1" in text
        for month in history_chart.months(windows(121)):
            assert " ".join(month.cells) in text

    def test_grades_under_another_version_alone_have_no_strip(self):
        """Without a grade under the current version there is a table and no picture."""
        night = START
        only = msgspec.structs.replace(made.grade(nights=(night,)), method_version="0.2")
        body = self.page((only,), 1)
        assert seen.on(body) == []
        assert "A 0.2 · M A T A D A R A provisional, candidate" in made.page_text(body)

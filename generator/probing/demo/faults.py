"""The script of faults: a fault that names no recorded endpoint, or contradicts another, is refused when it is loaded.

A fault concerns either what is listed on a night or single requests. Which requests is drawn, so that the same seed
gives the same night.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal, TypeAlias

import msgspec

from generator.errors import ContentError
from generator.probing.demo.recording import RecordedEndpoint, Recording, load_recording
from generator.probing.draws import Draws

LAST_NIGHT = 14
"""The script ends here; on later nights what it last said stands."""

NightIndex = Annotated[int, msgspec.Meta(ge=1, le=LAST_NIGHT)]
PerThousand = Annotated[int, msgspec.Meta(ge=1, le=1000)]
_FILE = "faults.toml"


class _Fault(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """What every fault has."""

    name: Annotated[str, msgspec.Meta(pattern="^[a-z0-9-]+$")]
    """Enters the draw, so that two faults of one endpoint hit different requests."""
    model: str
    provider: str
    sentence: Annotated[str, msgspec.Meta(min_length=1)]
    """For readers; words in braces are filled with the fault's own fields."""

    def said(self) -> str:
        """Return the sentence with its figures, which cannot differ from what is done."""
        fields = {name: _words(getattr(self, name)) for name in self.__struct_fields__}
        return self.sentence.format_map(fields)


class Absent(_Fault, frozen=True, kw_only=True, tag="absent"):
    """Not listed on some nights."""

    nights: Annotated[tuple[NightIndex, ...], msgspec.Meta(min_length=1)]


class Joins(_Fault, frozen=True, kw_only=True, tag="joins"):
    """Not listed before a night."""

    night: NightIndex


class Declared(_Fault, frozen=True, kw_only=True, tag="declared"):
    """Another tag and declared precision from a night on."""

    from_night: NightIndex
    tag: str
    quantization: str | None = None
    """Null: declares nothing any more."""


class Repriced(_Fault, frozen=True, kw_only=True, tag="price"):
    """Another price from a night on."""

    from_night: NightIndex
    price_prompt: Decimal
    """USD per token."""
    price_completion: Decimal


class ServerError(_Fault, frozen=True, kw_only=True, tag="server_error"):
    """A 5xx of the provider's."""

    per_thousand: PerThousand
    status: Literal[500, 502, 503, 504, 524, 529]


class RateLimit(_Fault, frozen=True, kw_only=True, tag="rate_limit"):
    """A 429 of the provider's own."""

    per_thousand: PerThousand


class ErrorInside200(_Fault, frozen=True, kw_only=True, tag="error_inside_200"):
    """HTTP 200 whose body holds an error, or no answer."""

    per_thousand: PerThousand


class KeepAlive(_Fault, frozen=True, kw_only=True, tag="keep_alive"):
    """White space before the body of a good answer."""

    per_thousand: PerThousand


class Misrouting(_Fault, frozen=True, kw_only=True, tag="misrouting"):
    """Served by another provider of the same model."""

    per_thousand: PerThousand
    served_by: str


class Truncation(_Fault, frozen=True, kw_only=True, tag="truncation"):
    """A recorded answer cut in half."""

    per_thousand: PerThousand


ListingFault: TypeAlias = Absent | Joins | Declared | Repriced
RequestFault: TypeAlias = ServerError | RateLimit | ErrorInside200 | KeepAlive | Misrouting | Truncation
Fault: TypeAlias = ListingFault | RequestFault


class _Script(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: Literal[1]
    fault: tuple[Fault, ...]


@cache
def load_faults() -> tuple[Fault, ...]:
    """Return the script that lies in this package.

    Raises:
        ContentError: where it is malformed.
    """
    return read_faults((files("generator.probing.demo") / _FILE).read_bytes(), load_recording())


def read_faults(script: bytes, recording: Recording) -> tuple[Fault, ...]:
    """Return the faults of a script, in its order.

    Args:
        script: TOML.
        recording: what the script is played on.

    Raises:
        ContentError: where the script is malformed, or says what cannot be done on this recording.
    """
    try:
        faults = msgspec.toml.decode(script, type=_Script).fault
    except msgspec.DecodeError as error:
        raise _refused(str(error), _FILE) from error
    for name, count in Counter(fault.name for fault in faults).items():
        if count > 1:
            raise _refused(f"expected names that differ, found {count} faults of this name", f"{_FILE}, {name}")
    for fault in faults:
        _check(fault, recording)
    return faults


def hit(faults: tuple[Fault, ...], seed: str, endpoint: RecordedEndpoint, prompt_id: str) -> RequestFault | None:
    """Return the fault that a request meets, the first of the script where several would; or None.

    Args:
        faults: the script.
        seed: the night's.
        endpoint: the one asked.
        prompt_id: the prompt asked.
    """
    for fault in faults:
        if isinstance(fault, RequestFault) and (fault.model, fault.provider) == (
            endpoint.model,
            endpoint.provider_name,
        ):
            draws = Draws(seed, "demo fault", fault.name, endpoint.model, endpoint.tag, prompt_id)
            if draws.below(1000) < fault.per_thousand:
                return fault
    return None


def _check(fault: Fault, recording: Recording) -> None:
    """Raise where a fault cannot be played on the recording."""
    where = f"{_FILE}, {fault.name}"
    if recording.endpoint(fault.model, fault.provider) is None:
        raise _refused(f"expected a recorded endpoint, found provider {fault.provider!r} of {fault.model!r}", where)
    try:
        fault.said()
    except (KeyError, ValueError, IndexError, AttributeError) as error:
        raise _refused("expected a sentence with this fault's fields in braces", where) from error
    match fault:
        case Misrouting(served_by=other):
            if other == fault.provider or recording.endpoint(fault.model, other) is None:
                raise _refused(f"expected another recorded provider in served_by, found {other!r}", where)
        case Declared(tag=tag, quantization=declared):
            _check_tag(fault, tag, declared, recording, where)
        case Repriced(price_prompt=prompt, price_completion=completion):
            for price in (prompt, completion):
                if not price.is_finite() or price < 0:
                    raise _refused(f"expected a price of 0 or more USD a token, found {price}", where)
        case _:
            pass


def _check_tag(fault: Declared, tag: str, declared: str | None, recording: Recording, where: str) -> None:
    """Raise where a new tag is another endpoint's, or does not end with what it declares."""
    taken = {e.tag for e in recording.endpoints if e.model == fault.model and e.provider_name != fault.provider}
    if tag in taken:
        raise _refused(f"expected a tag that no other endpoint has, found {tag!r}", where)
    base, _, precision = tag.partition("/")
    if not base or precision != (declared or ""):
        raise _refused(f"expected a tag that ends with what it declares, {declared!r}, found {tag!r}", where)


def _words(value: object) -> str:
    match value:
        case tuple():
            *most, last = map(str, value)
            return f"{', '.join(most)} and {last}" if most else last
        case Decimal():
            return f"{value:f}"
        case _:
            return str(value)


def _refused(problem: str, where: str) -> ContentError:
    return ContentError(problem, where=where, do="Mend the script of the demo's faults")

"""What a store refused, in the words of our messages.

What a store says in its errors is a stranger's text, and its library's may quote the request: of both, only the status
and a short code are ever told.
"""

from __future__ import annotations

import re

from generator.errors import BitdepthError, CredentialError, TargetError, UnreachableError

_STATUS = re.compile(r"status code: ([0-9]{3})")
_CODE = re.compile(r"<Code>([A-Za-z]{1,60})</Code>")
_NO_BUCKET = {"NoSuchBucket", "ContainerNotFound", "InvalidBucketName"}
_MISSING, _FORBIDDEN = 404, {401, 403}
_SERVER_ERROR, _NEVER = 500, 501
_LATER = {408, 409, 425, 429}
"""HTTP: what may go well another time, beside a server's own errors."""


def is_no_bucket(text: str) -> bool:
    """True where a store's answer says that the bucket itself is not there."""
    return bool(_codes(text) & _NO_BUCKET)


def refused(text: str, name: str, path: str | None) -> BitdepthError:
    """Return the message for whoever can act.

    Args:
        text: the library's error.
        name: the bucket's address.
        path: of the object; None where it concerns the whole.
    """
    status = int(found[1]) if (found := _STATUS.search(text)) else None
    code = min(_codes(text), default="")
    where = name if path is None else f"{name}, object {path}"
    said = f"HTTP {status}{f' {code}' if code else ''}" if status else "no answer"
    if code in _NO_BUCKET or status == _MISSING:  # Of a put: there is nothing to put into.
        return TargetError(
            f"expected a bucket or container, found none ({said})",
            where=name,
            do="Make it, or name another; the name stands after the scheme",
        )
    if status in _FORBIDDEN:
        return CredentialError(
            f"expected the right to do this, found it refused ({said})",
            where=where,
            do="Set credentials in the environment that may list, read, put and delete there",
        )
    if (status is not None and not (status >= _SERVER_ERROR or status in _LATER)) or status == _NEVER:
        return without_create_only(name, said)
    return UnreachableError(
        f"expected the store to take part, found {said}",
        where=where,
        do="What was sent stays, and nothing that a reader meets is half done: run the same command again to carry on",
    )


def without_create_only(name: str, said: str) -> TargetError:
    """Return what is raised where a store does not take the puts that permanence rests on."""
    return TargetError(
        f"expected a store that takes create-only and conditional puts, found {said}",
        where=name,
        do="Check name, region and endpoint; permanent objects go only where the store refuses to replace them",
    )


def _codes(text: str) -> set[str]:
    return set(_CODE.findall(text))

"""What a target's address names: a folder, or a bucket whose credentials stand in the environment.

Credentials come from the environment alone. Nothing is asked of a machine's metadata service and no file of the user's
is looked for: where no variable names a credential, that is said before anything is sent.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from obstore import exceptions
from obstore.store import from_url

from generator.errors import CredentialError, UsageError
from generator.publishing.interface import Target
from generator.publishing.lease import Times
from generator.publishing.local_folder import LocalFolder
from generator.publishing.object_store import ObjectStore

if TYPE_CHECKING:
    from obstore.store import RetryConfig

_CREDENTIALS: dict[str, tuple[tuple[str, ...], ...]] = {
    "s3": (
        ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_ROLE_ARN"),
        ("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",),
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"),
    ),
    "gs": (
        ("GOOGLE_SERVICE_ACCOUNT",),
        ("GOOGLE_SERVICE_ACCOUNT_PATH",),
        ("GOOGLE_SERVICE_ACCOUNT_KEY",),
        ("GOOGLE_APPLICATION_CREDENTIALS",),
    ),
    "az": (
        ("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_ACCOUNT_KEY"),
        ("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_STORAGE_SAS_KEY"),
        ("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET", "AZURE_TENANT_ID"),
        ("AZURE_STORAGE_ACCOUNT_NAME", "AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_FEDERATED_TOKEN_FILE"),
    ),
}
"""By scheme, the sets of environment variables that hold a credential; one of them is enough."""
_KNOWN = "file:///folder, s3://bucket/prefix, gs://bucket/prefix or az://container/prefix"
# A request is given up after 30 s, the library's own limit, and not begun again later than 30 s after the first: a put
# is over within `lease.Times.put_s`.
_RETRY: RetryConfig = {
    "max_retries": 4,
    "retry_timeout": timedelta(seconds=30),
    "backoff": {"init_backoff": timedelta(milliseconds=200), "max_backoff": timedelta(seconds=5), "base": 2},
}


def open_target(address: str, is_set: Callable[[str], bool], times: Times | None = None) -> Target:
    """Return the target of an address; nothing is asked of it yet.

    Args:
        address: its scheme is file, s3, gs or az.
        is_set: whether an environment variable holds anything.
        times: of a bucket's lease, instead of the usual.

    Raises:
        UsageError: where it is no address of a folder or bucket.
        CredentialError: naming the variables, where none holds a credential.
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme == "file" and not parts.netloc and parts.path.startswith("/") and not parts.query:
        return LocalFolder(Path(unquote(parts.path)).resolve())
    if parts.scheme not in _CREDENTIALS or not parts.netloc or any(mark in address for mark in "@?#"):
        raise UsageError(
            f"expected the address of a target, {_KNOWN}, found {_named(parts.scheme)}",
            where="TARGET",
            do="Credentials belong in the environment, never in the address",
        )
    _refuse_without_credential(parts.scheme, is_set)
    try:
        # Without client options, which would replace those of the environment (AWS_ENDPOINT_URL, AWS_ALLOW_HTTP...).
        store = from_url(address, retry_config=_RETRY)
    except (exceptions.BaseError, ValueError):  # Whose text may quote the environment.
        raise UsageError(
            f"expected the address and the variables of a {parts.scheme} target, found some that do not fit",
            where="TARGET",
            do=f"Give {_KNOWN}, and check the variables: {_variables(parts.scheme)}",
        ) from None
    return ObjectStore(store, address.rstrip("/"), times)  # type: ignore[arg-type] # of these schemes


def _refuse_without_credential(scheme: str, is_set: Callable[[str], bool]) -> None:
    if not any(all(map(is_set, names)) for names in _CREDENTIALS[scheme]):
        raise CredentialError(
            f"expected a credential for {scheme}:// in the environment, found none",
            where="TARGET",
            do=f"Set {_variables(scheme)}",
        )


def _variables(scheme: str) -> str:
    return ", or ".join(" and ".join(names) for names in _CREDENTIALS[scheme])


def _named(scheme: str) -> str:
    """Return the scheme as a message may say it; of the rest, nothing: it may hold what is secret."""
    return f"one that begins with {scheme}:" if scheme.isalnum() and len(scheme) <= 20 else "none"  # noqa: PLR2004

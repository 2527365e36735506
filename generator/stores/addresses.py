"""A bucket by its address; its credentials stand in the environment.

Credentials come from the environment alone. Nothing is asked of a machine's metadata service and no file of the user's
is looked for: where no variable names a credential, that is said before anything is sent.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from obstore import exceptions
from obstore.store import from_url

from generator.errors import CredentialError, UsageError
from generator.records.store_address import KNOWN, StoreAddress
from generator.stores.bucket import Bucket

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
# A request is given up after 30 s, the library's own limit, and not begun again later than 30 s after the first: a put
# is over within `lease.Times.put_s`.
_RETRY: RetryConfig = {
    "max_retries": 4,
    "retry_timeout": timedelta(seconds=30),
    "backoff": {"init_backoff": timedelta(milliseconds=200), "max_backoff": timedelta(seconds=5), "base": 2},
}


def folder_at(address: StoreAddress) -> Path:
    """Return the folder that an address names."""
    return Path(unquote(address.path)).resolve()


def open_bucket(address: StoreAddress, is_set: Callable[[str], bool], *, where: str) -> Bucket:
    """Return the bucket of an address; nothing is asked of it yet.

    Args:
        address: of a bucket.
        is_set: whether an environment variable holds anything.
        where: the address stands, for messages.

    Raises:
        UsageError: where address and environment do not fit.
        CredentialError: naming the variables, where none holds a credential.
    """
    variables = ", or ".join(" and ".join(names) for names in _CREDENTIALS[address.scheme])
    if not any(all(map(is_set, names)) for names in _CREDENTIALS[address.scheme]):
        raise CredentialError(
            f"expected a credential for {address.scheme}:// in the environment, found none",
            where=where,
            do=f"Set {variables}",
        )
    try:
        # Without client options, which would replace those of the environment (AWS_ENDPOINT_URL, AWS_ALLOW_HTTP...).
        store = from_url(address.url, retry_config=_RETRY)
    except (exceptions.BaseError, ValueError):  # Whose text may quote the environment.
        raise UsageError(
            f"expected the address and the variables of {address.scheme}://, found some that do not fit",
            where=where,
            do=f"Give {KNOWN}, and check the variables: {variables}",
        ) from None
    return Bucket(store, address.url)  # type: ignore[arg-type] # of these schemes

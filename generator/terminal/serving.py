"""The command that shows a laid-out site in a browser of one's own: serve."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from aiohttp import web

from generator.errors import UsageError
from generator.site.frame import site_path
from generator.site.links import INDEX
from generator.site.preview import application
from generator.terminal.options import BaseUrlOption, RootOption, parsed_address
from generator.terminal.session import messages, site_at

PORT = 8000
"""What is asked for where nothing else is."""
_CLOSING_S = 1.0
"""How long an answer under way may take once the command is to end."""

PortOption = Annotated[int, typer.Option("--port", min=0, max=65535, help="0 for any that is free.")]
HostOption = Annotated[str, typer.Option("--host", help="The address to listen at; others than your own show it.")]


def add_serve_command(app: typer.Typer) -> None:
    """Add the command to the program."""

    @app.command()
    def serve(
        root: RootOption = Path(),
        port: PortOption = PORT,
        host: HostOption = "127.0.0.1",
        base_url: BaseUrlOption = None,
    ) -> None:
        """Show the laid-out site at an address of this machine, as a host should serve it, until Ctrl-C.

        It reads the site's folder and writes nothing; what is laid out again is seen at the next request.
        """
        with messages(json=False):
            site = site_at(root)
            if not (site.site / INDEX).is_file():
                raise UsageError(
                    "expected a laid-out site, found none", where=str(site.site), do="Run 'bitdepth render' first"
                )
            prefix = site_path(parsed_address(base_url) or site.content.settings().address)
            with suppress(KeyboardInterrupt):  # Where signals cannot be handled in the loop.
                asyncio.run(_serve(site.site, prefix, host, port))


async def _serve(site: Path, prefix: str, host: str, port: int) -> None:
    """Serve until an interrupt."""
    ended = asyncio.Event()
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        with suppress(NotImplementedError, AttributeError):
            asyncio.get_running_loop().add_signal_handler(getattr(signal, name), ended.set)
    runner = web.AppRunner(application(site, prefix), access_log=None, shutdown_timeout=_CLOSING_S)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise UsageError(
                f"expected to listen at {host}, port {port}: {error.strerror or error}",
                where="--host, --port",
                do="Choose another port; --port 0 takes any that is free",
            ) from None
        taken = runner.addresses[0][1]
        shown = f"[{host}]" if ":" in host else host
        typer.echo(f"serving http://{shown}:{taken}{prefix} (Ctrl-C ends)")
        await ended.wait()
    finally:
        await runner.cleanup()

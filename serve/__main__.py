"""Serve the app by several processes behind haproxy; Ctrl-C ends all."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from .processes import Kept, free_ports, keep
from .proxy import configuration, haproxy_path, host_names

APP = Path(__file__).parents[1] / "app.py"
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@click.command(help=__doc__)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    envvar="DPSLR_WORKERS",
    help="Server processes.",
)
@click.option(
    "--address",
    default="localhost",
    show_default=True,
    help="Where to listen; 0.0.0.0 for everywhere.",
)
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True)
@click.option(
    "--certificate",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    envvar="DPSLR_CERTIFICATE",
    help="A PEM file with certificate and key, for TLS.",
)
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="NAME",
    envvar="DPSLR_HOSTS",
    help="A name that visitors use for this server, such as dpslr.example.org; requests to other names are refused. "
    "Addresses, localhost and this machine's own name need none.",
)
def main(
    workers: int, address: str, port: int, certificate: Path | None, hosts: tuple[str, ...]
) -> None:
    try:
        haproxy = haproxy_path()
        host_names(hosts)
    except (FileNotFoundError, ValueError) as problem:
        raise click.ClickException(str(problem)) from None
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as probe:  # haproxy would retry a taken port forever
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError as problem:
            raise click.ClickException(
                f"cannot listen on {address}:{port}: {problem.strerror}."
            ) from None
    ports = free_ports(workers)
    with tempfile.TemporaryDirectory(prefix="dpslr-serve-") as folder:
        file = Path(folder) / "haproxy.cfg"
        written = configuration(address, port, ports, certificate and certificate.resolve(), hosts)
        file.write_text(written, encoding="utf-8")
        shown = f"http{'s' if certificate else ''}://{address}:{port}"
        click.echo(f"{shown}, {workers} server processes; Ctrl-C ends all")
        # Browsers that come before the second worker listens would all go to the first, and stay there.
        proxy = Kept("haproxy", [haproxy, "-q", "-db", "-f", str(file)], after=ports)
        keep([*_workers(ports), proxy])


def _workers(ports: Sequence[int]) -> list[Kept]:
    """Return the server processes; all sign cookies by one secret, so that a browser may change to another process."""
    threads = str(max(1, (os.cpu_count() or 1) // len(ports)))
    environment = dict.fromkeys(_THREADS, threads) | {
        "MALLOC_ARENA_MAX": "2",  # otherwise each thread that runs a page keeps its own memory
        "STREAMLIT_SERVER_COOKIE_SECRET": os.environ.get("STREAMLIT_SERVER_COOKIE_SECRET")
        or secrets.token_hex(32),
    }
    command = [sys.executable, "-m", "streamlit", "run", str(APP), "--server.address", "127.0.0.1"]
    command += ["--server.headless", "true", "--server.fileWatcherType", "none"]
    return [
        Kept(f"worker {number}", [*command, "--server.port", str(port)], environment)
        for number, port in enumerate(ports, start=1)
    ]


if __name__ == "__main__":
    main()

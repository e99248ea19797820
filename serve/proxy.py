"""The reverse proxy: haproxy with the security headers, by which one browser stays with one worker."""

from __future__ import annotations

import re
import shutil
import socket
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from string import Template

import streamlit

TEMPLATE = Path(__file__).with_name("haproxy.cfg")
REFUSED = "This server does not go by this name. Whoever runs it can add the name: python -m serve --host NAME"
_NAME = re.compile(r"[a-z0-9_-]+([.][a-z0-9_-]+)*")
MISSING = "haproxy is not installed: apt-get install haproxy (Debian, Ubuntu) or brew install haproxy (macOS)."
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
# Permitted sources by kind of content. Streamlit and the charts set styles from scripts.
POLICY = {
    "default-src": "'self'",
    "script-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data: blob:",
    "font-src": "'self' data:",
    "worker-src": "'self' blob:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'self'",
}


def haproxy_path() -> str:
    """Return the path of haproxy.

    Raises
    ------
    FileNotFoundError
        If haproxy is not installed; the message says how to install it.
    """
    path = shutil.which("haproxy", path=None) or shutil.which(
        "haproxy", path="/usr/sbin:/usr/local/sbin"
    )
    if path is None:
        raise FileNotFoundError(MISSING)
    return path


def policy() -> str:
    """Return the Content-Security-Policy; of scripts inside a page only Streamlit's own may run, named by hash."""
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    hashes = [
        b64encode(sha256(script.encode()).digest()).decode() for script in _INLINE.findall(page)
    ]
    allowed = POLICY | {
        "script-src": " ".join([POLICY["script-src"], *(f"'sha256-{digest}'" for digest in hashes)])
    }
    return "; ".join(f"{name} {value}" for name, value in allowed.items())


def host_names(given: Sequence[str]) -> list[str]:
    """List the names that the server answers to: localhost, this machine's own names, and the given ones.

    Parameters
    ----------
    given : sequence of str
        Names of this server that others use, such as "dpslr.example.org".

    Raises
    ------
    ValueError
        If a given name is no host name.
    """
    own = ["localhost", socket.gethostname(), socket.getfqdn()]
    names = [name.lower().removesuffix(".") for name in (*own, *given)]
    for name in names[len(own) :]:
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"a host must be a name such as dpslr.example.org, without a port, got {name!r}"
            )
    return sorted({name for name in names if _NAME.fullmatch(name)})


def configuration(
    address: str,
    port: int,
    workers: Sequence[int],
    certificate: Path | None = None,
    hosts: Sequence[str] = (),
) -> str:
    """Write haproxy's configuration.

    Parameters
    ----------
    address, port : str, int
        Address and port that haproxy listens on.
    workers : sequence of int
        Ports of the server processes on this machine.
    certificate : Path, optional
        File with certificate and key, for TLS; without one another proxy must add it.
    hosts : sequence of str
        Names beside those of this machine that visitors may use.
    """
    servers = [
        f"    server worker{i} 127.0.0.1:{at} cookie worker{i}"
        for i, at in enumerate(workers, start=1)
    ]
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        address=address,
        port=port,
        certificate=f" ssl crt {certificate} alpn http/1.1" if certificate else "",
        secure=" secure" if certificate else "",
        policy=policy(),
        names=" ".join(host_names(hosts)),
        refused=REFUSED,
        servers="\n".join(servers),
    )

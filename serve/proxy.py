"""The reverse proxy: haproxy with the security headers, by which one browser stays with one worker."""

from __future__ import annotations

import re
import shutil
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from string import Template

import streamlit

TEMPLATE = Path(__file__).with_name("haproxy.cfg")
MISSING = "haproxy is not installed: apt-get install haproxy (Debian, Ubuntu) or brew install haproxy (macOS)."
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
# Where a page may take what from. Streamlit and the charts set styles from scripts.
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


def found() -> str:
    """The path of haproxy; FileNotFoundError, with what to install, where there is none."""
    path = shutil.which("haproxy", path=None) or shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin")
    if path is None:
        raise FileNotFoundError(MISSING)
    return path


def policy() -> str:
    """The Content-Security-Policy; of scripts in the page itself only those that Streamlit's page holds may run."""
    page = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    hashes = [b64encode(sha256(script.encode()).digest()).decode() for script in _INLINE.findall(page)]
    allowed = POLICY | {"script-src": " ".join([POLICY["script-src"], *(f"'sha256-{each}'" for each in hashes)])}
    return "; ".join(f"{name} {value}" for name, value in allowed.items())


def configuration(address: str, port: int, workers: Sequence[int], certificate: Path | None = None) -> str:
    """The text of haproxy's configuration.

    address, port: where it listens. workers: their ports on this machine. certificate: a file with certificate and key,
    for TLS; without one another proxy must add it.
    """
    servers = [f"    server worker{i} 127.0.0.1:{at} cookie worker{i}" for i, at in enumerate(workers, start=1)]
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        address=address,
        port=port,
        certificate=f" ssl crt {certificate} alpn http/1.1" if certificate else "",
        secure=" secure" if certificate else "",
        policy=policy(),
        servers="\n".join(servers),
    )

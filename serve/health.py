"""Ask the served app whether it answers: ``python -m serve.health [PORT]``; exit code 0 where it does."""

from __future__ import annotations

import os
import ssl
import sys
from urllib.request import urlopen

USUAL_PORT = 8501
SECONDS = 5.0  # that the app has to answer


def answers(port: int, secure: bool) -> bool:
    """Whether a server process of the app answers through the proxy of this machine.

    Parameters
    ----------
    port : int
        Port of the proxy.
    secure : bool
        Whether the proxy speaks TLS. The certificate names the public host, so that its name is not checked here.
    """
    scheme = "https" if secure else "http"
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with urlopen(
            f"{scheme}://127.0.0.1:{port}/_stcore/health", timeout=SECONDS, context=context
        ) as answer:
            return bool(answer.read() == b"ok")
    except OSError:
        return False


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else USUAL_PORT
    sys.exit(not answers(port, bool(os.environ.get("DPSLR_CERTIFICATE"))))

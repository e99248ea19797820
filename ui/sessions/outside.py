"""The server asks no other host for anything."""

from __future__ import annotations

from streamlit import net_util


def ask_nobody() -> None:
    """Let Streamlit not look up the server's public address.

    It does where a foreign page wants a session, which is refused in any case; meanwhile nobody else is answered.
    """
    if hasattr(net_util, "get_external_ip"):
        net_util.get_external_ip = _unknown


def _unknown() -> None:
    return None

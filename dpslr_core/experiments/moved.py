"""Earlier address of dpslr_core.audit.moved, which saved scripts name."""

from ..audit.moved import MovedRecord

__all__ = ["MovedRecord"]

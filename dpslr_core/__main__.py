"""``python -m dpslr_core``."""

from .cli import main

if __name__ == "__main__":
    main(prog_name="dpslr")

"""The version of the project, said once: pyproject.toml reads it here."""

VERSION = "0.2.0"

"""Sentences about intervals."""

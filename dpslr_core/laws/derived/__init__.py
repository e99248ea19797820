"""Laws that follow from another: ``clipped``, moved into an interval; ``fallback``, with an answer where it failed."""

"""Numbers of many laws at once: what ``Law.measured`` of a class is made of."""

"""A class at work: sessions with their own data that step epsilon, on Compare and then on a mix of pages."""

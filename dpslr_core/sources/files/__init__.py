"""Files of the user's own: from bytes to a table, from text to numbers, from columns to grouped data."""

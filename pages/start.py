"""Start: what is this, in one screen; three ways in: my own data, a class, the paper."""

from ui.first import note_address

note_address()  # the other imports may take seconds

from ui.page import begin
from ui.start import doors, examples, first_picture

begin(settings="none")
first_picture()
doors()
examples()

"""``python -m aucmax`` is the command ``aucmax``."""

from .cli import main

main()

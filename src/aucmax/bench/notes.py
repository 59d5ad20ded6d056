"""What the page says in words: what agrees with the papers, what does not, and why."""

OPENING = ""
PARAGRAPHS: dict[str, str] = {"partitions": ""}


def reason(table: str, data: str) -> str:
    """Why a data set's numbers stay below the paper's."""
    return ""

"""A table as Markdown has it."""


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """Head and rows."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines).replace("|  |", "| |")

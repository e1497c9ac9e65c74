"""A directive whose Markdown is made from the code when the site is built."""

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective


class Written(SphinxDirective):
    """Parses what `markdown` returns, in place."""

    def markdown(self) -> str:
        raise NotImplementedError

    def run(self) -> list[nodes.Node]:
        container = nodes.section()
        lines = StringList(self.markdown().splitlines(), source=type(self).__name__)
        self.state.nested_parse(lines, 0, container, match_titles=True)
        return list(container.children)


def cell(text: object) -> str:
    """A text on one line that ends no cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|")

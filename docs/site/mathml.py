"""Formulas of the site as MathML: browsers draw it themselves, so no script is shipped or fetched."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


def visit_math(self: Any, node: nodes.math) -> None:
    self.body.append(convert(node.astext()))
    raise nodes.SkipNode


def visit_math_block(self: Any, node: nodes.math_block) -> None:
    self.body.append(convert(node.astext(), display="block"))
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", inline_renderers=(visit_math, None), block_renderers=(visit_math_block, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True}

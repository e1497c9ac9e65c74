"""The documentation site: Markdown pages, notebooks that are run, and the reference from docstrings. No network.

make docs
"""

import logging
import os
import sys
from pathlib import Path

import lefi

os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # notebooks call `lefi`
sys.path.insert(0, str(Path(__file__).parent / "site"))

for name in ("alembic", "traitlets"):
    logging.getLogger(name).setLevel(logging.WARNING)  # they tell every step

project = "lefi"
author = copyright = "the lefi authors"
release = version = lefi.__version__
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx_design",
    "docstrings",  # in our docstrings single backticks are code
    "mathml",  # formulas as MathML, which browsers draw themselves
    "commands",  # the command line, from its own --help
    "openapi",  # requests of the service, from its OpenAPI file
    "columns",  # tables of the ledger, from its schema
    "offline",  # no page fetches anything from elsewhere
]
exclude_patterns = ["_build", "README.md", "site"]
nitpicky = True
nitpick_ignore_regex = [
    (r"py:.*", r"(?!lefi\.).*"),  # names of other libraries: their pages are not here
    (r"py:.*", r"lefi\.\w+\..*"),  # types inside lefi that a signature shows; who needs one finds it in the code
]

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

nb_execution_mode = "cache"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 600  # seconds of one cell: it ends what hangs; the slowest took 100 on a machine with load 17
nb_execution_show_tb = True
nb_merge_streams = True

suppress_warnings = ["misc.highlighting_failure"]  # a command after `!` may be continued; its lexer does not know that

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "lefi"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_copy_source = False

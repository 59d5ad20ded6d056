"""Settings of the documentation site, which `make docs` builds with Sphinx."""

import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "extensions"))

import aucmax  # noqa: E402

project = "aucmax"
version = release = aucmax.__version__
copyright = "the aucmax developers"

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    # Ours, in docs/extensions.
    "guides",
    "mathml",
]
exclude_patterns = ["extensions", "checks", "_static", "reproduction/records", "auto_examples/**.md5"]

# Guides are Markdown that other programs show as well; pytest runs their examples.
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4

# A name in single backticks in a docstring is a link where there is such an object; explicit roles must
# find theirs.
default_role = "py:obj"
nitpicky = True
nitpick_ignore_regex = [("py:obj", ".*")]
autodoc_typehints = "none"
smartquotes = False
highlight_language = "text"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"plot_",
    "ignore_pattern": r"(^|[\\/])(?!plot_)[^\\/]*\.py$",
    "within_subsection_order": "gallery_order.position",
    "doc_module": ("aucmax",),
    "backreferences_dir": "api/examples",
    "download_all_examples": False,
    "show_signature": False,
    "write_computation_times": False,
    "min_reported_time": 60,
    "image_scrapers": ("matplotlib",),
    "matplotlib_animations": False,
}

html_theme = "pydata_sphinx_theme"
html_title = f"aucmax {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_favicon = "_static/logo.svg"
html_context = {"default_mode": "auto"}
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": True,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "logo": {"text": "aucmax", "image_light": "_static/logo.svg", "image_dark": "_static/logo.svg"},
}
html_sidebars = {
    name: [] for name in ("index", "getting_started", "mathematics", "faq", "contributing", "changelog")
}
copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = "$ "

"""The pictures of the guides that are drawn by examples of the gallery.

python benchmarks/example_pictures.py
"""

from pathlib import Path
from runpy import run_path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

ROOT = Path(__file__).parent.parent
PICTURES = {"top.png": "plot_top.py", "positives.png": "plot_positives.py", "text.png": "plot_text.py"}

if __name__ == "__main__":
    for picture, example in PICTURES.items():
        run_path(str(ROOT / "examples" / example))
        plt.savefig(ROOT / "docs" / "images" / picture, dpi=90)
        plt.close("all")

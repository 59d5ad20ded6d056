"""What the page says in words: what agrees with the papers, what does not, and why."""

OPENING = """
# The papers' experiments, run again

Every table and figure of SOLAM, SPDAM, VRSPAM, SAUC and FSAUC, made by `aucmax reproduce all -o
docs/reproduction` on a 2-core x86-64 VM, AMD EPYC, busy with other work at times. The records are in
`docs/reproduction/records`, and this page is made of them alone (`aucmax reproduce report -o
docs/reproduction`). A cell has our mean ± standard deviation of test AUC, then the paper's, then the
difference in the paper's standard deviations; the best of a row is in bold, ours and the paper's. Three
columns are ours: `AUCClassifierCV` (the exact optimum of the squared hinge, l2 by cross-validation),
`OnlineAUCClassifier` (one pass, default settings) and tuned logistic regression. The data set acoustic
could not be had.

What holds for all tables: SOLAM, regSOLAM, SPAM, VRSPAM, SPDAM, FSAUC, OPAUC and B-LS-SVM minimise the same
squared pair loss, so their columns can differ by the penalty's form, by tuning and by how far a method is
from its optimum, and by nothing else. B-LS-SVM is that optimum, exact. Columns are scaled on all rows, as
in the files that the papers used. Beyond 4,000 training rows parameters are chosen on the first split only,
whose training rows are test rows of others, as the authors' programs do; this flatters every column a
little. Some choices lie at the edge of a grid: small steps of OAM, the smaller l2 of OPAUC and VRSPAM,
large C of logistic regression, all where the curve is flat.
"""

PARAGRAPHS = {
    "solam-table3": """
The three small sets, splice and a9a agree to a fraction of a standard deviation in every column, SOLAM's
too: features in [-1, 1] and then unit rows is what SOLAM's authors did. The six columns on the right were
taken from Gao et al. (2013), who did not normalise rows. On ijcnn1 and mnist everything here is better,
most of all the old methods: OAM and Uni-Exp, tuned over wider grids, are only one or two hundredths behind.
Sets of many classes depend on which half is positive (see below): covtype's .9744 needs a half that we did
not draw. On text, SOLAM is not at its optimum after 15 passes, here as there: the exact solution (B-LS-SVM)
is higher than both, and `OnlineAUCClassifier` is above SOLAM in one pass.
""",
    "spdam-table3": "",
    "vrspam-table1": """
VRSPAM, SPAM, SOLAM and OPAUC agree with each other to a few thousandths, as methods with one optimum must,
and with the paper's columns for SPAM, SOLAM and OPAUC, which come from another paper. The paper's VRSPAM is
far above that optimum on splice, w8a and ijcnn1. No better optimisation of the squared loss can do this,
and neither can the squared hinge or logistic regression; numbers on training rows, or another normalisation
for that column alone, would. The printed rows of usps and letter are swapped: the one called letter has
OPAUC's result on usps, and the spreads .0388 and .0386 are german's. We put them right. Even against odd
letters gives .794 with every method and loss, so the paper must have split the letters in another way.
""",
    "sauc-table2": "",
    "partitions": """
The exact optimum of the squared loss for 20 random halves of the classes, one 80/20 split each. A set's AUC
moves far more with the half than with the method, so that columns of different papers cannot be compared on
these sets.
""",
}

_NOT_CONVERGED = "SOLAM is still moving after 15 passes: compare B-LS-SVM, the same loss solved exactly."
_HALVES = "It depends on the half of the classes that is positive."
_TOO_GOOD = "The exact optimum of this loss, and every other column here, is lower than the paper's number."

_REASONS = {
    ("solam-table3", "usps"): _HALVES,
    ("solam-table3", "covtype"): _HALVES,
    ("solam-table3", "sector"): _NOT_CONVERGED,
    ("solam-table3", "news20"): _NOT_CONVERGED,
    ("vrspam-table1", "splice"): _TOO_GOOD,
    ("vrspam-table1", "usps"): "SPAM is still moving after 15 passes: VRSPAM, the same objective, is higher.",
    (
        "vrspam-table1",
        "letter",
    ): "Even against odd letters has its optimum here; the paper's split is another one.",
    ("vrspam-table1", "w8a"): _TOO_GOOD,
    ("vrspam-table1", "ijcnn1"): _TOO_GOOD,
}


def reason(table: str, data: str) -> str:
    """Why a data set's numbers stay below the paper's."""
    return _REASONS.get((table, data), "Not explained.")

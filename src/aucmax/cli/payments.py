"""Card payments of made-up customers, 1 % of them fraud: the data of ``aucmax demo``.

No formula makes the labels. A payment is of one of nine kinds, five honest and four fraudulent, each with
habits of its own: amounts, places, hours, shops. Some honest ones look like fraud (a traveller, a new
customer), half of the frauds are careful ones, and some labels are wrong.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

FIRST_DAY = np.datetime64("2026-01-01T00:00:00", "s")
FRAUD_SHARE = 0.01
MISSED, DISPUTED = 0.05, 0.0005  # frauds that nobody reports, and honest payments reported as fraud
CENTS = 0.001  # payments at terminals that send cents for euros
FARTHEST = 20_000.0  # km from home
CHARGEBACK_DAYS = 15.0  # mean time until a fraud is reported

CHANNELS = ("chip", "contactless", "phone", "online")
CATEGORIES = ("groceries", "fuel", "restaurants", "transport", "clothes", "electronics", "travel", "games",
              "gift cards", "jewellery", "pharmacy", "utilities", "vending", "cash")  # fmt: skip
COUNTRIES = ("DE", "FR", "NL", "AT", "PL", "IT", "ES", "GB", "US", "TR", "CH", "CZ", "GR", "TH", "BR", "NG")
HOME_COUNTRIES = 5  # the first ones are those of the customers


class Kind(NamedTuple):
    """Habits of a kind of payment: medians of amounts, distances and times, means of counts and ratings."""

    share: float  # of the honest payments, or of the frauds
    amount: float  # euros
    last_hour: float  # payments with the same card
    last_day: float
    online: float  # share of the payments
    abroad: float  # share
    night: float  # share
    km_from_home: float
    account_days: float
    device_trust: float  # 0 to 100, if online: how well the device is known
    ip_risk: float  # 0 to 100, if online: what a vendor says of the address
    categories: str  # those it prefers


HONEST = (
    Kind(0.75, 27, 0.1, 1.5, 0.40, 0.01, 0.06, 5, 1500, 80, 15, "groceries,restaurants,clothes,utilities"),
    Kind(0.05, 55, 0.3, 4.0, 0.50, 0.80, 0.20, 900, 1800, 60, 60, "travel,restaurants,cash"),
    Kind(0.10, 3, 0.8, 5.0, 0.05, 0.01, 0.10, 8, 1200, 80, 15, "vending,transport"),
    Kind(0.04, 350, 0.2, 3.0, 0.60, 0.05, 0.03, 60, 2200, 75, 20, "electronics,travel,fuel"),
    Kind(0.06, 60, 0.3, 1.0, 0.95, 0.03, 0.15, 15, 20, 10, 50, "clothes,electronics,games"),
)  # everyday, travelling, small change, business, a new customer
FRAUDS = (
    Kind(0.20, 2, 2.5, 5.0, 0.98, 0.10, 0.30, 20, 1200, 50, 35, "games,gift cards"),
    Kind(0.15, 300, 0.4, 2.0, 0.90, 0.10, 0.30, 50, 1500, 45, 35, "electronics,jewellery,gift cards"),
    Kind(0.50, 40, 0.2, 2.0, 0.85, 0.03, 0.12, 10, 900, 50, 35, "clothes,games,travel,gift cards"),
    Kind(0.15, 80, 0.8, 4.0, 0.02, 0.05, 0.25, 20, 1500, 80, 15, "fuel,electronics,cash,jewellery"),
)  # trying card numbers, a taken-over account, a careful fraud, a stolen card
KINDS = HONEST + FRAUDS


def make_payments(n_rows: int, first_day: int, n_days: int, rng: np.random.Generator) -> "pa.Table":
    """Payments in the order of their times."""
    import pyarrow as pa

    fraud = rng.random(n_rows) < FRAUD_SHARE
    kind = np.where(
        fraud,
        len(HONEST) + rng.choice(len(FRAUDS), n_rows, p=[each.share for each in FRAUDS]),
        rng.choice(len(HONEST), n_rows, p=[each.share for each in HONEST]),
    )
    reported = np.where(fraud, rng.random(n_rows) >= MISSED, rng.random(n_rows) < DISPUTED)
    columns = draw_columns(kind, rng)
    days = rng.integers(first_day, first_day + n_days, n_rows)
    seconds = (86_400 * days + 3600 * columns["hour"]).astype("timedelta64[s]")
    columns["hour"] = np.floor(columns["hour"])
    columns = {"time": FIRST_DAY + seconds, **columns, "fraud": name_all(("no", "yes"), reported)}
    table = pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})
    numbers = np.arange(n_rows) + 10_000_000 * (1 + first_day)
    return table.take(np.argsort(seconds)).add_column(0, "payment", [numbers])


def as_reported(payments: "pa.Table", rng: np.random.Generator) -> "pa.Table":
    """The payments in the order in which it is known what they were: frauds when they are reported."""
    seconds = payments["time"].to_numpy().astype("datetime64[s]").astype(float)
    delay = rng.exponential(86_400 * CHARGEBACK_DAYS, len(seconds))
    return payments.take(np.argsort(seconds + delay * is_fraud(payments)))


def is_fraud(payments: "pa.Table") -> np.ndarray:
    """Which payments were reported as fraud."""
    import pyarrow.compute as pc

    return pc.equal(payments["fraud"], "yes").to_numpy()


def find_alerts(payments: "pa.Table") -> "pa.Table":
    """The payments that the rules of a bank stop: two signs of fraud or more, some of which count half."""
    column = {name: payments[name].to_numpy() for name in payments.column_names if name != "time"}
    signs = 1.0 * (column["ip_risk"] > 40) + (column["device_trust"] < 40) + (column["last_hour"] >= 2)
    signs += 1.0 * (column["amount"] > 200) + (column["km_from_home"] > 300)
    signs += np.isin(column["category"], ["gift cards", "jewellery"])
    for half in (column["amount"] < 2, column["hour"] < 6, column["channel"] == "online"):
        signs += 0.5 * half
    return payments.filter(signs >= 2.0)


def draw_columns(kind: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
    """The columns of payments of these kinds, but for their day; the hour has its minutes."""
    n_rows = len(kind)

    def habit(name: str) -> np.ndarray:
        return np.array([getattr(each, name) for each in KINDS])[kind]

    def happens(name: str) -> np.ndarray:
        return rng.random(n_rows) < habit(name)

    def around(name: str, spread: float) -> np.ndarray:
        return habit(name) * np.exp(spread * rng.normal(size=n_rows))

    def count(name: str) -> np.ndarray:  # some cards are used far more often than others
        return rng.poisson(habit(name) * rng.gamma(0.7, 1 / 0.7, n_rows))

    def rating(name: str) -> np.ndarray:  # missing in shops, and now and then online
        mean, known = habit(name) / 100, online & (rng.random(n_rows) < 0.9)
        return np.where(known, 100 * rng.beta(4 * mean, 4 - 4 * mean), np.nan).round()

    online, account = happens("online"), around("account_days", 0.8)
    usual = 30 * np.exp(0.6 * rng.normal(size=n_rows))
    amount = around("amount", 0.9) * np.sqrt(usual / 30) * np.where(rng.random(n_rows) < CENTS, 100, 1)
    night, by_day = rng.uniform(0, 6, n_rows), rng.normal(14.5, 3.8, n_rows) % 24
    return {
        "hour": np.where(happens("night"), night, by_day),
        "amount": amount.round(2),
        "usual_amount": np.where(account < 10, np.nan, usual.round(2)),
        "last_hour": count("last_hour"),
        "last_day": count("last_day"),
        "km_from_home": np.minimum(around("km_from_home", 1.0), FARTHEST).round(1),
        "account_days": account.round(),
        "device_trust": rating("device_trust"),
        "ip_risk": rating("ip_risk"),
        "channel": name_all(CHANNELS, np.where(online, 3, rng.choice(3, n_rows, p=[0.4, 0.57, 0.03]))),
        "category": name_all(CATEGORIES, choose_categories(kind, rng)),
        "country": name_all(COUNTRIES, choose_countries(happens("abroad"), rng)),
    }


def choose_categories(kind: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """In three of four payments one that the kind prefers, else any."""
    category, prefers = rng.integers(0, len(CATEGORIES), len(kind)), rng.random(len(kind)) < 0.75
    for k, each in enumerate(KINDS):
        rows = np.flatnonzero(prefers & (kind == k))
        category[rows] = rng.choice(
            [CATEGORIES.index(name) for name in each.categories.split(",")], len(rows)
        )
    return category


def choose_countries(abroad: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Home or foreign countries, the first ones more often."""
    near = np.minimum(rng.geometric(0.45, len(abroad)), HOME_COUNTRIES) - 1
    far = np.minimum(rng.geometric(0.12, len(abroad)) + HOME_COUNTRIES, len(COUNTRIES)) - 1
    return np.where(abroad, far, near)


def name_all(names: tuple[str, ...], numbers: np.ndarray) -> "pa.Array":
    """A column of texts by their numbers."""
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int32)), pa.array(names)).cast(
        pa.string()
    )

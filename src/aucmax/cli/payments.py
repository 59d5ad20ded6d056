"""Card payments of made-up customers, 1 % of them fraud: the data of ``aucmax demo``.

Labels are not computed from the columns. Each payment is drawn from one of nine kinds, five honest and four
fraudulent, with typical amounts, places, hours and shops of their own. The task is hard: some honest kinds
look like fraud (a traveller, a new customer), half of the frauds look honest, and some labels are wrong.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

FIRST_DAY = np.datetime64("2026-01-01T00:00:00", "s")
FRAUD_SHARE = 0.01
UNREPORTED_SHARE = 0.05  # of the frauds: labelled honest
DISPUTED_SHARE = 0.0005  # of the honest payments: labelled fraud
CENTS_SHARE = 0.001  # payments whose amount is in cents by mistake, not in euros
MAX_KM = 20_000.0  # from home
CHARGEBACK_DAYS = 15.0  # mean time until a fraud is reported

CHANNELS = ("chip", "contactless", "phone", "online")
CATEGORIES = ("groceries", "fuel", "restaurants", "transport", "clothes", "electronics", "travel", "games",
              "gift cards", "jewellery", "pharmacy", "utilities", "vending", "cash")  # fmt: skip
COUNTRIES = ("DE", "FR", "NL", "AT", "PL", "IT", "ES", "GB", "US", "TR", "CH", "CZ", "GR", "TH", "BR", "NG")
N_HOME_COUNTRIES = 5  # the first of COUNTRIES, where customers live


class PaymentKind(NamedTuple):
    """Typical values of a kind of payment: medians of amounts, distances and ages, else means."""

    share: float  # of the honest payments, or of the frauds
    amount: float  # euros
    last_hour: float  # number of payments with the same card
    last_day: float  # the same in a day
    online: float  # share of the payments
    abroad: float  # share
    night: float  # share
    km_from_home: float
    account_days: float
    device_trust: float  # 0 to 100, if online: how well the device is known
    ip_risk: float  # 0 to 100, if online: how risky a vendor rates the IP address
    categories: str  # where three in four of the payments are


HONEST = (
    PaymentKind(
        0.75, 27, 0.1, 1.5, 0.40, 0.01, 0.06, 5, 1500, 80, 15, "groceries,restaurants,clothes,utilities"
    ),
    PaymentKind(0.05, 55, 0.3, 4.0, 0.50, 0.80, 0.20, 900, 1800, 60, 60, "travel,restaurants,cash"),
    PaymentKind(0.10, 3, 0.8, 5.0, 0.05, 0.01, 0.10, 8, 1200, 80, 15, "vending,transport"),
    PaymentKind(0.04, 350, 0.2, 3.0, 0.60, 0.05, 0.03, 60, 2200, 75, 20, "electronics,travel,fuel"),
    PaymentKind(0.06, 60, 0.3, 1.0, 0.95, 0.03, 0.15, 15, 20, 10, 50, "clothes,electronics,games"),
)  # everyday, a traveller, small amounts, business, a new customer
FRAUDS = (
    PaymentKind(0.20, 2, 2.5, 5.0, 0.98, 0.10, 0.30, 20, 1200, 50, 35, "games,gift cards"),
    PaymentKind(0.15, 300, 0.4, 2.0, 0.90, 0.10, 0.30, 50, 1500, 45, 35, "electronics,jewellery,gift cards"),
    PaymentKind(0.50, 40, 0.2, 2.0, 0.85, 0.03, 0.12, 10, 900, 50, 35, "clothes,games,travel,gift cards"),
    PaymentKind(0.15, 80, 0.8, 4.0, 0.02, 0.05, 0.25, 20, 1500, 80, 15, "fuel,electronics,cash,jewellery"),
)  # testing card numbers, a taken-over account, fraud that looks honest, a stolen card
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
    reported = np.where(fraud, rng.random(n_rows) >= UNREPORTED_SHARE, rng.random(n_rows) < DISPUTED_SHARE)
    columns = draw_columns(kind, rng)
    days = rng.integers(first_day, first_day + n_days, n_rows)
    seconds = (86_400 * days + 3600 * columns["hour"]).astype("timedelta64[s]")
    columns["hour"] = np.floor(columns["hour"])
    columns = {"time": FIRST_DAY + seconds, **columns, "fraud": decode_texts(("no", "yes"), reported)}
    table = pa.table({name: pa.array(column, from_pandas=True) for name, column in columns.items()})
    numbers = np.arange(n_rows) + 10_000_000 * (1 + first_day)
    return table.take(np.argsort(seconds)).add_column(0, "payment", [numbers])


def in_reporting_order(payments: "pa.Table", rng: np.random.Generator) -> "pa.Table":
    """Payments in the order in which their labels become known: frauds when reported, the others at once."""
    seconds = payments["time"].to_numpy().astype("datetime64[s]").astype(float)
    delay = rng.exponential(86_400 * CHARGEBACK_DAYS, len(seconds))
    return payments.take(np.argsort(seconds + delay * is_fraud(payments)))


def is_fraud(payments: "pa.Table") -> np.ndarray:
    """Which payments were reported as fraud."""
    import pyarrow.compute as pc

    return pc.equal(payments["fraud"], "yes").to_numpy()


def find_alerts(payments: "pa.Table") -> "pa.Table":
    """The payments that a bank's rules stop: at least two signs of fraud, of which weak ones count half."""
    column = {name: payments[name].to_numpy() for name in payments.column_names if name != "time"}
    signs = 1.0 * (column["ip_risk"] > 40) + (column["device_trust"] < 40) + (column["last_hour"] >= 2)
    signs += 1.0 * (column["amount"] > 200) + (column["km_from_home"] > 300)
    signs += np.isin(column["category"], ["gift cards", "jewellery"])
    for weak_sign in (column["amount"] < 2, column["hour"] < 6, column["channel"] == "online"):
        signs += 0.5 * weak_sign
    return payments.filter(signs >= 2.0)


def draw_columns(kind: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
    """All columns but the day, for payments of these kinds; hours have a fraction for the minutes."""
    n_rows = len(kind)

    def typical(name: str) -> np.ndarray:
        return np.array([getattr(each, name) for each in KINDS])[kind]

    def draw_flag(name: str) -> np.ndarray:
        return rng.random(n_rows) < typical(name)

    def draw_around(name: str, spread: float) -> np.ndarray:
        return typical(name) * np.exp(spread * rng.normal(size=n_rows))

    def draw_count(name: str) -> np.ndarray:  # some cards are used far more often than others
        return rng.poisson(typical(name) * rng.gamma(0.7, 1 / 0.7, n_rows))

    def draw_rating(name: str) -> np.ndarray:  # missing in shops, and for one in ten online
        mean, known = typical(name) / 100, online & (rng.random(n_rows) < 0.9)
        return np.where(known, 100 * rng.beta(4 * mean, 4 - 4 * mean), np.nan).round()

    online, account = draw_flag("online"), draw_around("account_days", 0.8)
    usual = 30 * np.exp(0.6 * rng.normal(size=n_rows))
    amount = (
        draw_around("amount", 0.9) * np.sqrt(usual / 30) * np.where(rng.random(n_rows) < CENTS_SHARE, 100, 1)
    )
    night, by_day = rng.uniform(0, 6, n_rows), rng.normal(14.5, 3.8, n_rows) % 24
    return {
        "hour": np.where(draw_flag("night"), night, by_day),
        "amount": amount.round(2),
        "usual_amount": np.where(account < 10, np.nan, usual.round(2)),
        "last_hour": draw_count("last_hour"),
        "last_day": draw_count("last_day"),
        "km_from_home": np.minimum(draw_around("km_from_home", 1.0), MAX_KM).round(1),
        "account_days": account.round(),
        "device_trust": draw_rating("device_trust"),
        "ip_risk": draw_rating("ip_risk"),
        "channel": decode_texts(CHANNELS, np.where(online, 3, rng.choice(3, n_rows, p=[0.4, 0.57, 0.03]))),
        "category": decode_texts(CATEGORIES, choose_categories(kind, rng)),
        "country": decode_texts(COUNTRIES, choose_countries(draw_flag("abroad"), rng)),
    }


def choose_categories(kind: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For three in four payments a category that is typical of their kind, for the others any."""
    category, is_typical = rng.integers(0, len(CATEGORIES), len(kind)), rng.random(len(kind)) < 0.75
    for k, each in enumerate(KINDS):
        rows = np.flatnonzero(is_typical & (kind == k))
        category[rows] = rng.choice(
            [CATEGORIES.index(name) for name in each.categories.split(",")], len(rows)
        )
    return category


def choose_countries(abroad: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Home or foreign countries; the first of each are the most frequent."""
    near = np.minimum(rng.geometric(0.45, len(abroad)), N_HOME_COUNTRIES) - 1
    far = np.minimum(rng.geometric(0.12, len(abroad)) + N_HOME_COUNTRIES, len(COUNTRIES)) - 1
    return np.where(abroad, far, near)


def decode_texts(names: tuple[str, ...], numbers: np.ndarray) -> "pa.Array":
    """A column of texts, given their positions in ``names``."""
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int32)), pa.array(names)).cast(
        pa.string()
    )

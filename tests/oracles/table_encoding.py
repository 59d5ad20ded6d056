"""The features of a table, value by value in plain Python."""

import datetime
import math

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
START = datetime.datetime(2000, 1, 1)
DAY = datetime.timedelta(days=1)


def as_moment(value):
    """A date, a point in time or a time of day (on the first day of 1970) as a point in time."""
    if isinstance(value, datetime.time):
        return datetime.datetime.combine(datetime.date(1970, 1, 1), value)
    return value if isinstance(value, datetime.datetime) else datetime.datetime(*value.timetuple()[:3])


def learn(columns, min_rows=10, min_share=0.01):
    """What ``categorical="auto"`` and ``missing="auto"`` learn: a dictionary for each column."""
    found = {}
    for name, (kind, values) in columns.items():
        known = [value for value in values if value is not None]
        n_missing = len(values) - len(known)
        rule = {"kind": kind, "gap": n_missing >= max(min_rows, min_share * len(values))}
        if kind == "text":
            texts = [value.strip() for value in known]
            counts = {text: texts.count(text) for text in texts}
            rule["levels"] = sorted(text for text in counts if counts[text] >= min_rows)
            rule["rare"] = sorted(text for text in counts if counts[text] < min_rows)
        else:
            known = [as_moment(value) for value in known] if kind == "date" else known
            numbers = [(value - START) / DAY if kind == "date" else value for value in known]
            rule["fill"] = math.fsum(numbers) / max(len(numbers), 1)
        if kind == "date":
            months, days = [value.month for value in known], [value.weekday() for value in known]
            hours = [value.hour for value in known]
            rule["clock"] = len({value.date() for value in known}) == 1 and len(set(known)) > 1
            rule["hours"] = [k for k in range(24) if hours.count(k) >= min_rows and len(set(hours)) > 1]
            rule["year"] = len({value.year for value in known}) > 1
            rule["months"] = [k for k in range(1, 13) if months.count(k) >= min_rows and len(set(months)) > 1]
            rule["days"] = [k for k in range(7) if days.count(k) >= min_rows and len(set(days)) > 1]
        found[name] = rule
    return found


def encode(rules, row):
    """The features of one row by name."""
    found = {}
    for name, rule in rules.items():
        value = row[name]
        if rule["kind"] == "text":
            text = None if value is None else value.strip()
            for level in rule["levels"]:
                found[f"{name}={level}"] = float(text == level)
            if rule["rare"]:
                found[f"{name}=(other)"] = float(text is not None and text not in rule["levels"])
        elif rule["kind"] == "number":
            found[name] = rule["fill"] if value is None else value
        else:
            value = None if value is None else as_moment(value)
            days = rule["fill"] if value is None else float((value - START).days)
            shown = START + datetime.timedelta(math.floor(days))
            if rule["year"]:
                found[f"{name} year"] = float(shown.year)
            if rule["clock"]:
                moment = rule["fill"] if value is None else (value - START) / DAY
                found[f"{name} hours since midnight"] = 24 * (moment % 1)
            else:
                found[f"{name} days since 2000-01-01"] = days
            for hour in rule["hours"]:
                found[f"{name} hour={hour}"] = float(value is not None and value.hour == hour)
            for month in rule["months"]:
                found[f"{name} month={month}"] = float(value is not None and value.month == month)
            for day in rule["days"]:
                found[f"{name} weekday={WEEKDAYS[day]}"] = float(value is not None and value.weekday() == day)
        if rule["gap"]:
            found[f"{name} is missing"] = float(value is None)
    return found

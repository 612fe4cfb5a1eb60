"""The words of time, in English; docs/design/dates.md says what each form means."""


def word_set(text: str) -> frozenset[str]:
    """The words of a line."""
    return frozenset(text.split())


MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
VERBS = frozenset({"may", "march", "mar"})
"""Months that are other words as well where they are not written with a capital."""
NAMES = word_set("april june august may jan mar")
"""Months that somebody may be called."""
SHORT_MONTHS = frozenset(name for name in MONTHS if len(name) <= 4 and name not in ("may", "june", "july"))

WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon",
            "tuesday tue tues",
            "wednesday wed",
            "thursday thu thur thurs",
            "friday fri",
            "saturday sat",
            "sunday sun",
        )
    )
    for name in names.split()
}
SHORT_WEEKDAYS = frozenset(name for name in WEEKDAYS if not name.endswith("day"))
WEEKDAYS_OF_PLURALS = {f"{name}s": number for name, number in WEEKDAYS.items() if name.endswith("day")}

SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""The month in which each begins: meteorological, of the northern half of the earth; each takes three."""

DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}

PARTS = {"morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
"""Hours of the wall clock; a night goes on into the next day."""

UNITS = {
    name: unit
    for unit in ("minute", "hour", "day", "night", "week", "weekend", "month", "quarter", "year")
    for name in (unit, f"{unit}s")
}
_NUMBERS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
TENS = {word: 10 * number for number, word in enumerate(_TENS.split(), start=2)}
NUMBERS = {word: number for number, word in enumerate(_NUMBERS.split(), start=1)} | TENS | {"a": 1, "an": 1}
COUPLE, FEW = 2, 3
"""What "a couple of" and "a few" count for; a few may be one less or more."""
VAGUE = frozenset({"few", "several"})

_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth"
    " sixteenth seventeenth eighteenth nineteenth twentieth"
)
ORDINALS = {word: number for number, word in enumerate(_ORDINALS.split(), start=1)} | {"thirtieth": 30}
"""Days of a month in words; "twenty-first" is two of them."""

QUARTERS = {f"q{number}": number for number in (1, 2, 3, 4)}
QUARTERS_IN_WORDS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
NINETIES = {"fifties": 1950, "sixties": 1960, "seventies": 1970, "eighties": 1980, "nineties": 1990}

TURNS = {"last": -1, "past": -1, "this": 0, "next": 1, "coming": 1}
"""What turns a unit into one before, at or after now."""

SURE = frozenset({*MONTHS, *WEEKDAYS, *DAYS, *QUARTERS, *NINETIES, "tonight", "ago"})
"""Where one of these stands, a date may be named …"""
NAMED = frozenset({*UNITS, *SEASONS, *PARTS, *WEEKDAYS_OF_PLURALS})
"""… or where one of these stands …"""
TURNED = frozenset({*TURNS, "in", "from", "over", "during", "since", "back"})
"""… beside one of these."""

IN = word_set("in during since until till early mid late throughout through")
"""Before a month that may be a name."""
CUES = IN | word_set("from before after by to of between and around")
"""Before any other month or year."""
RANGES = {"from": ("to", "until", "till", "through"), "between": ("and",)}
"""What stands between two dates that make one stretch, by what stands before them."""
EDGES = word_set("end beginning start middle week weekend half part rest most")
"""Before "of" and a month or a year: these are meant as a whole."""
ROLLING = word_set("in over during within for throughout through across")
"""Before "the last month", they make it a month up to now."""
DETERMINED = ROLLING | word_set("the these my our your his her their") | {""}
"""Before "last three weeks", they tell it from "to last three weeks"."""
MEASURES = word_set(
    "people words miles km kilometers kilometres dollars euros pounds times years days hours"
    " percent steps calories meters metres feet things ways books students"
)
"""After a number, they make it one of them and no year and no day."""
HABITS = word_set(
    "every each a an one some any most other my your our his her their black good easter palm cyber ash super"
)
"""Before a weekday, they make it no day in particular, or a feast that falls on one."""
BEFORE_WEEKDAY = word_set("on since until till by from before after of late early to coming")
AFTER_WEEKDAY = word_set("and at with for i we he she they to but so or in when because")
"""A weekday between none of these belongs to what follows: "Sunday lunch"."""

SOON = word_set(
    "will ll shall gonna going plan plans planning upcoming soon hope hoping forward scheduled wait tomorrow"
)
"""In a sentence with one of these, "on Friday" lies ahead …"""
DONE = word_set(
    "was were did had went last ago got came been made took met saw yesterday bought gave said told wore began found"
    " left lost won ran wrote sent felt thought brought taught"
)
"""… but not where one of these stands too, or without it a word in -ed …"""
NOT_DONE = word_set(
    "need feed speed seed indeed bed red shed weed hundred excited thrilled interested tired bored supposed named"
    " called united"
)
"""… that is none of these; where nothing tells, the nearer day is meant."""

"""The colour of each mechanism, the same in figures, notebooks and on the pages of the service.

Colours are those of Okabe and Ito, which the colour-blind can tell apart, and some more where those are used up.
"""

from collections.abc import Iterable

COLOURS = {
    "lefi": "#0072B2",
    "lefi warm": "#56B4E9",
    "lefi usd": "#5B6FA8",
    "waterfill": "#009E73",
    "uniform": "#E69F00",
    "bara": "#D55E00",
    "bara cold": "#F0A07A",
    "random": "#7A7A7A",
    "random cold": "#B5B5B5",
    "price": "#CC79A7",
    "auction": "#56B4E9",
    "posted": "#009E73",
    "posted(learn=false)": "#66C2A5",
    "contract": "#8C6D1F",
    "pool": "#4B0092",
    "contest": "#B3A100",
    "flat": "#7A7A7A",
}
SPARE = ("#CC79A7", "#56B4E9", "#8C6D1F", "#4B0092", "#B3A100")  # for mechanisms of others, in turn


def colours(names: Iterable[str]) -> dict[str, str]:
    """A colour for each name; those that are not known take the spare ones in the order of their names."""
    given = list(dict.fromkeys(names))
    strangers = sorted(name for name in given if name not in COLOURS)
    spare = {name: SPARE[place % len(SPARE)] for place, name in enumerate(strangers)}
    return {name: COLOURS.get(name) or spare[name] for name in given}

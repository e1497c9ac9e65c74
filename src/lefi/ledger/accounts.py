"""Balances from rows: what each client was paid, what was taken back, what was paid out, and which orders hold."""

from collections import defaultdict

from lefi.ledger.orders import Orders


class Accounts:
    """Fed with rows in order; units by alias."""

    def __init__(self) -> None:
        self.earned: defaultdict[str, int] = defaultdict(int)  # payments less reversals
        self.paid_out: defaultdict[str, int] = defaultdict(int)
        self.paid: dict[tuple[int, str], int] = {}  # what is left to take back, by round and client
        self.held: dict[tuple[int, str], int] = {}  # pay that waits, by round and client
        self.waits: defaultdict[str, int] = defaultdict(int)
        self.orders = Orders()

    def add(self, kind: str, alias: str, round: int, units: int) -> str | None:
        """Take in a row about money or an order; what is wrong with it, if anything."""
        if kind == "payment":
            self.earned[alias] += units
            self.paid[round, alias] = units
            return None if units > 0 else "a payment that is none"
        if kind == "reversal":
            return self._reverse(round, alias, units)
        if kind == "payout":
            self.paid_out[alias] += units
            due = self.earned[alias] - self.waits[alias]
            if units <= 0 or self.paid_out[alias] > due:
                return f"pays out {units} units, {due + units - self.paid_out[alias]} are due"
            return None
        return self.orders.obey(kind, alias, units)

    def _reverse(self, round: int, alias: str, units: int) -> str | None:
        if (round, alias) in self.held:
            return "takes back what is held"
        left = self.paid.get((round, alias), 0)
        self.earned[alias] += units
        self.paid[round, alias] = left + units
        return None if units < 0 and left + units >= 0 else f"takes back {-units} units of {left}"

    def hold(self, key: tuple[int, str], units: int) -> str | None:
        """The pay of a round waits from now on."""
        self.held[key] = units
        self.waits[key[1]] += units
        return None

    def release(self, key: tuple[int, str], units: int) -> str | None:
        known = self.held.pop(key, None)
        self.waits[key[1]] -= known or 0
        return None if known == units else f"releases {units} units, {known or 0} are held"

    def forfeit(self, key: tuple[int, str], units: int) -> str | None:
        known = self.held.pop(key, None)
        self.waits[key[1]] -= known or 0
        self.earned[key[1]] += units
        self.paid[key] = self.paid.get(key, 0) + units
        return None if known == -units else f"forfeits {-units} units, {known or 0} are held"

    def restore(self, key: tuple[int, str], units: int) -> str | None:
        self.earned[key[1]] += units
        self.paid[key] = self.paid.get(key, 0) + units
        return None

    def left(self) -> dict[str, int]:
        """What is left to clients with a cap."""
        return {alias: cap - self.earned[alias] for alias, cap in self.orders.caps.items()}

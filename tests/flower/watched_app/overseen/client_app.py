"""The clients: the first does nothing and claims as the others do."""

from tests.flower import watched

app = watched.app(cheats=1)

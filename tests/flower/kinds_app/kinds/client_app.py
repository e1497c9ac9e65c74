"""The client: it knows what the others' work costs, so that pools have one answer."""

from tests.flower import toy

app = toy.app(toy.knowing)

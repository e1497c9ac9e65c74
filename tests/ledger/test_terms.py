"""What a job was begun with is held against what is asked, as far as it was noted."""

from lefi.ledger.terms import differences


def test_what_came_after_a_job_had_begun_is_no_difference() -> None:
    noted = {"budget": 1.0, "settings": {"explore": True}}
    assert differences(noted, {"budget": 1.0, "total": None, "settings": {"explore": True, "forget": 50}}) == []


def test_settings_that_were_noted_cannot_change_or_go() -> None:
    noted = {"budget": 1.0, "settings": {"explore": True, "forget": 50}}
    assert len(differences(noted, {"budget": 2.0, "settings": {"explore": True, "forget": 20}})) == 2
    assert len(differences(noted, {"settings": {"explore": True}})) == 1

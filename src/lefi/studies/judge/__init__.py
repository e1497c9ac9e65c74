"""What a round, a run and a study are worth: marks, outcomes, statistics."""

"""Studies: many runs of many mechanisms, kept as Parquet, and what is read off them.

from lefi.studies import Study, results, run_study

study = Study.build({"name": "mine", "mechanisms": ["lefi", "waterfill"], "scenario": "mixed", "seeds": 5})
run_study(study, "results", jobs=2)
table = results("results", "mine").rounds  # a Polars frame; table.to_pandas() is pandas
"""

from lefi.studies.plan.study import Study
from lefi.studies.run.results import read_study as results
from lefi.studies.run.runner import run_study

__all__ = ["Study", "results", "run_study"]

"""Every view answers on each database, with the same numbers."""

from lefi.ledger.accounting import order
from tests.serve.pages.played import Job
from tests.serve.pages.test_views import JOB, read
from tests.serve.running import served

VIEWS = ("", "/series", "/bands", "/histogram?round=2", "/rows?kind=answer&client=car-1", "/clients?start=car-1",
         "/clients/car-1", "/beliefs?client=car-1")  # fmt: skip


def test_views_answer_on_each_database(place: str) -> None:
    job = Job(place, "fleet", "price", clients=5)
    job.play(2)
    order(job.ledger, "budget", amount="1.5")
    job.play(2)
    paid = sum(units["payment"] for units in job.ledger.balances().values())
    job.close()
    with served(place) as service:
        found = {view: read(service, JOB.format(f"fleet{view}")) for view in VIEWS}
        line = read(service, "/v1/views/overview")["jobs"][0]
    assert line["spent_exact"] == f"{paid // 10**9}.{paid % 10**9:09d}"
    assert found["/series"]["series"]["budget"] == [2.5, 2.5, 1.5, 1.5]
    assert found["/histogram?round=2"]["clients"] == 5
    assert found["/clients?start=car-1"]["clients"] == ["car-1"]
    assert [row["round"] for row in found["/rows?kind=answer&client=car-1"]["rows"]] == [4, 3, 2, 1]
    assert float(found["/clients/car-1"]["earned"]) > 0

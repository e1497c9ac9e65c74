"""The two pictures of docs/dashboard.md, from a job that a service plays. Run: python -m tests.serve.pages.shots"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

import lefi
from lefi.remote import Remote
from tests.serve.running import served

IMAGES = Path(__file__).parents[3] / "docs" / "images"
LARGEST = 150_000  # bytes of a picture
WIDTH, HEIGHT = 1180, 760


def played(url: str) -> None:
    """Forty rounds of thirty clients."""
    market = lefi.scenario("noisy", clients=30, budget=0.1, seed=2, payment="price")
    remote = Remote.create(url, None, "phones", terms=market.terms, mechanism="price", seed=2)
    for _ in lefi.play(remote, market, 40, 2):
        pass
    remote.close()


def taken(page: Page, name: str) -> None:
    path = IMAGES / f"{name}.png"
    page.wait_for_timeout(800)
    page.screenshot(path=str(path))
    print(path, path.stat().st_size)
    assert path.stat().st_size < LARGEST


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder) / "ledger.db") as service,
        sync_playwright() as playwright,
    ):
        played(service.url)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(f"{service.url}/#/jobs/phones?client=7")
        expect(page.get_by_text("round 40", exact=True)).to_be_visible()
        expect(page.locator(".heat .legend")).to_contain_text("clients delivered")
        taken(page, "dashboard")
        dark = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="dark")
        dark.goto(f"{service.url}/#/playground")
        expect(dark.get_by_text("40 rounds played.")).to_be_visible(timeout=60_000)
        taken(dark, "playground")
        browser.close()


if __name__ == "__main__":
    main()

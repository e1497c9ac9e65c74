"""One browser for all tests of the pages, and a watch over every page that it opens."""

import shutil
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.serve.pages.filled import MANY, fill
from tests.serve.running import Caller, served

CHROMIUM = shutil.which("chromium")
PATIENCE = 20_000  # milliseconds: the machine may be busy with other tests
HERE = ("127.0.0.1", "localhost")

Open = Callable[..., Page]


class Watch:
    """What pages asked for and what they complained of."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.wrong: list[str] = []
        self.expected: tuple[str, ...] = ()  # complaints that a test provokes

    def page(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda told: self.wrong.append(told.text) if told.type in ("error", "warning") else None)

    def check(self) -> None:
        assert [text for text in self.wrong if not any(part in text for part in self.expected)] == []
        outside = [
            url for url in self.requests if urlsplit(url).hostname not in HERE and not url.startswith("blob:http://127")
        ]
        assert outside == []


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("chromium is missing: sh scripts/system installs Debian's")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    """A service over a job with MANY clients."""
    path = tmp_path_factory.mktemp("large") / "ledger.db"
    fill(path, MANY, 1)
    with served(path) as caller:
        yield caller


@pytest.fixture
def watch() -> Iterator[Watch]:
    """Fails the test where a page complains, or asks for anything beyond this machine."""
    watch = Watch()
    yield watch
    watch.check()


@pytest.fixture
def visit(browser: Browser, watch: Watch) -> Iterator[Open]:
    """Opens an address in a profile of its own. No request gets past the interception without being counted."""
    contexts = []

    def visit(url: str, width: int = 1440, theme: Any = "light", **settings: Any) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=theme, reduced_motion="reduce", **settings
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE)

        def counted(route: Any) -> None:
            watch.requests.append(route.request.url)
            route.continue_() if urlsplit(route.request.url).hostname in HERE else route.abort()

        context.route("**/*", counted)
        page = context.new_page()
        watch.page(page)
        page.goto(url)
        return page

    yield visit
    assert watch.requests or not contexts, "nothing was intercepted"
    for context in contexts:
        context.close()

"""What the Flower tests share; without Flower there is nothing to test here."""

import pytest

pytest.importorskip("flwr", reason="needs the extra flower")
pytest.importorskip("sqlalchemy", reason="needs the extra flower")

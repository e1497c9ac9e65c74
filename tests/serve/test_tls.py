"""Over TLS: a client that knows the certificate plays, one that does not is not fooled."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

import lefi
from lefi.remote import Remote
from lefi.serve.tokens import Tokens, tokens_beside
from tests.serve.running import served


@pytest.fixture
def pem(tmp_path: Path) -> Path:
    """A certificate for this machine, signed by itself, with its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "lefi test")])
    made = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )  # fmt: skip
    path = tmp_path / "tls.pem"
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(made.public_bytes(Encoding.PEM) + secret)
    return path


def test_a_job_over_tls(tmp_path: Path, pem: Path) -> None:
    place = str(tmp_path / "ledger.db")
    token = Tokens(tokens_beside(place)).make("operator")
    market = lefi.scenario("mixed", clients=4, budget=2.0, seed=1).taking("price")
    trusting = ssl.create_default_context(cafile=str(pem))
    with served(place, tls=pem) as call:
        assert call.url.startswith("https://")
        remote = Remote.create(call.url, token, terms=market.terms, mechanism="price", context=trusting)
        assert len(list(lefi.play(remote, market, 2, seed=1))) == 2
        remote.close()
        with pytest.raises(lefi.LefiError, match="certificate verify failed"):
            Remote(call.url, token, patience=0.0)

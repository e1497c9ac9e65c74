"""Keys for authenticated SuperNodes and a certificate for a SuperLink on loopback."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID


def node_key(path: Path) -> str:
    """Write an OpenSSH key pair to `path` and `path`.pub; the name that lefi gives its owner."""
    key = ec.generate_private_key(ec.SECP384R1())
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    public = key.public_key()
    path.with_suffix(".pub").write_bytes(public.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))
    pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    return f"key-{sha256(pem).hexdigest()[:32]}"


def certificate(folder: Path) -> None:
    """Write ca.pem, link.pem and link.key: an authority, and 127.0.0.1 certified by it."""
    authority, link = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
    _write(folder / "ca.pem", _signed(root, root, authority, authority, None))
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    _write(folder / "link.pem", _signed(name, root, link, authority, "127.0.0.1"))
    key = link.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "link.key").write_bytes(key)


def _signed(
    name: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    address: str | None,
) -> x509.Certificate:
    today = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(issuer).public_key(key.public_key())
    builder = builder.serial_number(x509.random_serial_number())
    builder = builder.not_valid_before(today - timedelta(days=1)).not_valid_after(today + timedelta(days=2))
    builder = builder.add_extension(x509.BasicConstraints(ca=address is None, path_length=None), critical=True)
    if address:
        names = x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))])
        builder = builder.add_extension(names, critical=False)
    return builder.sign(signer, hashes.SHA256())


def _write(path: Path, certificate: x509.Certificate) -> None:
    path.write_bytes(certificate.public_bytes(Encoding.PEM))

"""The signing key: a file beside the ledger, readable by its owner alone, or one that the operator names."""

import os
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from sqlalchemy.engine import URL

from lefi.errors import InputError, LefiError
from lefi.ledger.private import write_private

VARIABLE = "LEFI_KEY"  # names the key where the ledger is no file


def place_of(url: URL, named: Path | str | None = None) -> Path:
    """Where the key of this ledger lies."""
    if named is not None:
        return Path(named)
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    if url.get_backend_name() != "sqlite" or not url.database:
        raise LefiError(f"a ledger that is no file needs a place for its signing key: key=FILE, --key or {VARIABLE}")
    return Path(f"{url.database}.key")


def public_beside(key: Path) -> Path:
    return key.with_suffix(".pub")


def make_key(place: Path) -> Ed25519PrivateKey:
    """A new key, and its public half beside it in a file of its own. Of several makers the first is heard."""
    text = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_private(place, text, first=True)
    key = load_key(place)
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    write_private(public_beside(place), public)
    return key


def load_key(place: Path) -> Ed25519PrivateKey:
    try:
        key = load_pem_private_key(place.read_bytes(), None)
    except OSError as error:
        raise LefiError(f"the signing key {place} cannot be read: {error.strerror}") from None
    except (ValueError, TypeError):
        raise InputError("key", str(place), "an Ed25519 private key in PEM") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError("key", str(place), "an Ed25519 private key in PEM")
    return key


def public_text(key: Ed25519PrivateKey) -> str:
    """The public half as 64 digits."""
    return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def read_public(given: Path | str) -> str:
    """A public key as 64 digits, from a PEM file (the private one will do) or from the digits themselves."""
    text = str(given)
    if len(text) == 64 and all(c in "0123456789abcdef" for c in text):
        return text
    try:
        data = Path(given).read_bytes()
    except OSError as error:
        raise LefiError(f"the public key {given} cannot be read: {error.strerror}") from None
    if b"PRIVATE" in data:
        return public_text(load_key(Path(given)))
    try:
        key = load_pem_public_key(data)
    except ValueError:
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise InputError("key", text, "an Ed25519 public key in PEM, or its 64 digits")
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw).hex()


def signed_by(public: str, text: bytes, signature: str) -> bool:
    """Whether this key has signed this text."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), text)
    except (InvalidSignature, ValueError, TypeError):
        return False
    return True

"""One HTTP request and its answer, without following redirects."""

from __future__ import annotations

import email.utils
import gzip
import http.client
import socket
import ssl
import urllib.parse
from dataclasses import dataclass

from .errors import ServiceError


@dataclass
class Answer:
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


def post(url: str, headers: dict[str, str], body: bytes, timeout_s: float, method: str) -> Answer:
    """Sends a request. Raises ServiceError where no whole answer comes."""
    parts = urllib.parse.urlsplit(url)
    secure = parts.scheme == "https"
    kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    connection = kind(parts.hostname or "", parts.port, timeout=timeout_s)
    try:
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request("POST", path, body, {"Accept-Encoding": "gzip", **headers})
        response = connection.getresponse()
        content = response.read()
        if response.headers.get("Content-Encoding") == "gzip":
            content = gzip.decompress(content)
        return Answer(response.status, response.headers, content)
    except ssl.SSLCertVerificationError as error:
        text = f"the certificate of {parts.netloc} is not trusted ({error.verify_message}); if it is your own, name its CA's certificate in the environment variable SSL_CERT_FILE"
        raise ServiceError(text, kind="certificate", method=method) from error
    except (TimeoutError, socket.timeout) as error:
        raise ServiceError(f"no answer from {url} within {timeout_s} s", kind="timeout", method=method) from error
    except (OSError, http.client.HTTPException, EOFError) as error:
        raise ServiceError(f"no answer from {url}: {error}", kind="network", method=method) from error
    finally:
        connection.close()


def retry_after_s(headers: http.client.HTTPMessage) -> float | None:
    """Retry-After in seconds: a number, or a date, which is compared with the answer's own."""
    text = headers.get("Retry-After")
    if text is None:
        return None
    if text.isdigit():
        return float(text)
    try:
        until = email.utils.parsedate_to_datetime(text)
        return max(0.0, (until - email.utils.parsedate_to_datetime(headers.get("Date", ""))).total_seconds())
    except (TypeError, ValueError):
        return None

"""Client of the messaging gateway, with the standard library only.

A call is repeated only when that is safe: reads, PUT, DELETE, calls with an Idempotency-Key, and refusals that
accepted nothing. OPERATIONS is generated from the endpoints of the gateway.
"""
import asyncio
import base64
import hashlib
import hmac
import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

from .operations import OPERATIONS

__all__ = ["AsyncGateway", "Gateway", "GatewayError", "OPERATIONS", "verify_webhook"]

TRIES = 5
MAX_WAIT_S = 60
TIMEOUT_S = 60
MAX_PAGE = 200


class GatewayError(Exception):
    """An error answer of the gateway. `code` is stable; the text is for people. `retry_after`: seconds, or None."""

    def __init__(self, status, code, message, retry_after=None):
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def _request(address, token, operation, params, query, body, idempotency_key, content_type):
    """Returns the request of an operation, and whether it may be repeated after a lost answer."""
    method, path, is_keyed = OPERATIONS[operation]
    for name, value in (params or {}).items():
        path = path.replace("{" + name + "}", urllib.parse.quote(str(value), safe=""))
    if query:
        given = {name: value for name, value in query.items() if value is not None}
        plain = {name: str(value).lower() if isinstance(value, bool) else value for name, value in given.items()}
        path += "?" + urllib.parse.urlencode(plain)
    headers = {"Authorization": "Bearer " + token}
    if is_keyed:
        headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
    data = body
    if isinstance(body, (bytes, bytearray)):
        headers["Content-Type"] = content_type or "application/octet-stream"
    elif body is not None:
        data = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    request = urllib.request.Request(address + path, method=method, data=data, headers=headers)
    return request, is_keyed or method in ("GET", "PUT", "DELETE")


def _answer(request):
    try:
        with _opener.open(request, timeout=TIMEOUT_S) as response:
            text = response.read()
            is_json = response.headers.get("Content-Type", "").startswith("application/json")
            return json.loads(text) if is_json else text
    except urllib.error.HTTPError as refused:
        try:
            said = json.loads(refused.read())
        except ValueError:
            said = None
        said = said if isinstance(said, dict) else {}
        after = refused.headers.get("Retry-After")
        retry_after = float(after) if after and after.isdigit() else None
        raise GatewayError(refused.code, said.get("code", ""), said.get("error", str(refused)), retry_after) from None


def _wait_after(cause, is_safe, tries):
    """Returns the seconds to wait before a failed try is repeated; None when it must not be repeated."""
    backoff = 2 ** (tries - 1) / 4
    if tries == TRIES:
        return None
    if not isinstance(cause, GatewayError):
        return backoff if is_safe else None
    if cause.status not in (429, 503) and cause.code != "IDEMPOTENCY_IN_PROGRESS":
        return None
    wait = backoff if cause.retry_after is None else cause.retry_after
    return wait if wait <= MAX_WAIT_S else None


def _entries(page):
    return next((value for value in page.values() if isinstance(value, list)), [])


def _place(page):
    """Returns the parameters of the next page; None after the last page."""
    if page.get("next_before") is None:
        return None
    place = {"before": page["next_before"]}
    if page.get("next_before_id") is not None:
        place["before_id"] = page["next_before_id"]
    return place


def _pull(after, events):
    query = {"limit": MAX_PAGE}
    if after is not None:
        query["after"] = after
    if events:
        query["events"] = ",".join(events)
    return query


def _with_cursors(page, after):
    last = len(page["events"]) - 1
    return [(event, page["next"] if nth == last else after) for nth, event in enumerate(page["events"])]


class Gateway:
    """Calls a gateway: `gateway.call("sendMessage", params={"sessionId": …}, body={…})`."""

    def __init__(self, address, token):
        """`token`: a login token or an API key."""
        self._address = address.rstrip("/")
        self._token = token

    def call(self, operation, params=None, query=None, body=None, idempotency_key=None, content_type=None):
        """Returns the parsed JSON answer, or the bytes of a file. Raises GatewayError if the gateway refuses.

        `body`: JSON, or bytes with their `content_type`.
        """
        request, is_safe = _request(self._address, self._token, operation, params, query, body, idempotency_key, content_type)
        tries = 1
        while True:
            try:
                return _answer(request)
            except (GatewayError, OSError, http.client.HTTPException) as cause:
                wait = _wait_after(cause, is_safe, tries)
                if wait is None:
                    raise
            time.sleep(wait)
            tries += 1

    def pages(self, operation, params=None, query=None):
        """Yields every entry of a list, page by page."""
        place, before = {}, None
        while place is not None and place != before:
            page = self.call(operation, params=params, query={**(query or {}), **place})
            yield from _entries(page)
            place, before = _place(page), place

    def follow(self, after=None, events=None, poll_s=1.0):
        """Yields (event, cursor) as they happen, at least once. Store the cursor once the event is handled; pass it as `after`."""
        while True:
            page = self.call("pullEvents", query=_pull(after, events))
            yield from _with_cursors(page, after)
            after = page["next"]
            if not page["events"]:
                time.sleep(poll_s)


class AsyncGateway:
    """The client for asyncio. Each request runs in a thread of the default executor."""

    def __init__(self, address, token):
        self._address = address.rstrip("/")
        self._token = token

    async def call(self, operation, params=None, query=None, body=None, idempotency_key=None, content_type=None):
        request, is_safe = _request(self._address, self._token, operation, params, query, body, idempotency_key, content_type)
        tries = 1
        while True:
            try:
                return await asyncio.to_thread(_answer, request)
            except (GatewayError, OSError, http.client.HTTPException) as cause:
                wait = _wait_after(cause, is_safe, tries)
                if wait is None:
                    raise
            await asyncio.sleep(wait)
            tries += 1

    async def pages(self, operation, params=None, query=None):
        place, before = {}, None
        while place is not None and place != before:
            page = await self.call(operation, params=params, query={**(query or {}), **place})
            for entry in _entries(page):
                yield entry
            place, before = _place(page), place

    async def follow(self, after=None, events=None, poll_s=1.0):
        while True:
            page = await self.call("pullEvents", query=_pull(after, events))
            for pair in _with_cursors(page, after):
                yield pair
            after = page["next"]
            if not page["events"]:
                await asyncio.sleep(poll_s)


def verify_webhook(body, headers, secret):
    """Returns the event of a webhook if its signature is valid, else raises ValueError. `body`: the raw bytes."""
    raw = body.encode() if isinstance(body, str) else body
    digest = hmac.new(secret.encode(), raw, hashlib.sha256).digest()
    given = next((value for name, value in headers.items() if name.lower() == "x-webhook-signature"), "")
    if not hmac.compare_digest(b"sha256=" + base64.b64encode(digest), given.encode()):
        raise ValueError("the signature of the webhook does not hold")
    return json.loads(raw)

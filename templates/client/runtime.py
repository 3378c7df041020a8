# ruff: noqa
# fmt: off
"""Calls the endpoints of a Sluice server. Needs Python 3.9 or later and nothing else; arrow() and pandas() need pyarrow."""
from __future__ import annotations

import email.utils
import importlib
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from decimal import Decimal
from typing import (
    TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Literal, Mapping, Optional, Sequence, Tuple, TypedDict, TypeVar, Union,
    cast, overload,
)

Json = Any
_Row = TypeVar("_Row")

Meta = TypedDict("Meta", {
    "row_count": int,
    #: The result had more rows, and was cut.
    "truncated": bool,
    "etag": Optional[str],
    #: How old the result is; 0 where it was made for this call.
    "age_seconds": int,
    #: Where the result came from.
    "cache": Optional[Literal["hit", "miss", "collapsed", "stale", "request", "bypass"]],
    "request_id": Optional[str],
})


class Rows(List[_Row]):
    """The rows of a result, with facts about it in `meta`."""

    meta: Meta
    _next: Optional[str] = None


class Pages(Iterator[_Row]):
    """The rows of all pages, one after the other; `meta` has facts about the page that was fetched last."""

    meta: Meta

    def __init__(self, fetch: Callable[[Dict[str, str]], Rows[_Row]], size: int) -> None:
        self._rows = self._walk(fetch, {"page_size": str(size)})

    def __next__(self) -> _Row:
        return next(self._rows)

    def _walk(self, fetch: Callable[[Dict[str, str]], Rows[_Row]], page: Dict[str, str]) -> Iterator[_Row]:
        while True:
            rows = fetch(page)
            self.meta = rows.meta
            yield from rows
            if rows._next is None:
                return
            page = {**page, "cursor": rows._next}


class SluiceError(Exception):
    """The server refused the call or could not answer it. `errors` names each bad argument: {"parameter", "detail"}."""

    def __init__(self, code: ErrorCode, status: int, detail: str, errors: List[Dict[str, str]], request_id: Optional[str]) -> None:
        super().__init__(code, status, detail, errors, request_id)
        self.code, self.status, self.detail, self.errors, self.request_id = code, status, detail, errors, request_id

    def __str__(self) -> str:
        return "; ".join([f"{self.code}: {self.detail}"] + [f"{one.get('parameter')} {one.get('detail')}" for one in self.errors])


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Another address must not get the token."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


#: A 429 or 503 is tried again this often, unless Retry-After asks for a longer wait than this many seconds.
_RETRIES, _LONGEST_WAIT = 2, 60
#: A longer query string goes into the body of a POST.
_LONGEST_QUERY = 8_000


class _Client:
    def __init__(self, url: str, token: Union[str, Callable[[], str]], *, timeout: float = 60.0) -> None:
        """`token` may be a function: it is asked for each call, and once more where the token has expired.
        `timeout` is in seconds, for a call and its waits."""
        self._url, self._token, self._timeout = url.rstrip("/"), token, timeout
        self._opener = urllib.request.build_opener(_NoRedirect)

    def arrow(self, _name: EndpointName, /, **arguments: Any) -> Any:
        """The result as a pyarrow.Table, with BigQuery's types."""
        stream = importlib.import_module("pyarrow.ipc")
        return stream.open_stream(self._fetch(_name, arguments, "application/vnd.apache.arrow.stream")[1]).read_all()

    def pandas(self, _name: EndpointName, /, **arguments: Any) -> Any:
        """The result as a pandas.DataFrame with the types of arrow(), so that nothing is rounded. Needs pandas 1.5 or later."""
        return self.arrow(_name, **arguments).to_pandas(types_mapper=importlib.import_module("pandas").ArrowDtype)

    def _pages(self, name: str, size: Optional[int], arguments: Mapping[str, Any]) -> Pages[Any]:
        if name not in _PAGE_SIZES:
            raise TypeError(f"{name} has no pages")
        return Pages(lambda page: self._rows(name, arguments, page), _PAGE_SIZES[name] if size is None else size)

    def _rows(self, name: str, arguments: Mapping[str, Any], page: Mapping[str, str] = {}) -> Rows[Any]:
        headers, body = self._fetch(name, arguments, "application/json", page)
        try:
            answer = json.loads(body)
            rows: Rows[Any] = Rows(answer["result"])
            rows._next = answer.get("next")
        except (ValueError, TypeError, LookupError):
            raise SluiceError("UNKNOWN", 200, "the answer is not a result", [], headers["X-Request-Id"]) from None
        rows.meta = _meta(headers, len(rows))
        return rows

    def _fetch(self, name: str, arguments: Mapping[str, Any], accept: str, page: Mapping[str, str] = {}) -> Tuple[Any, bytes]:
        address = f"{self._url}/api/endpoints/query/{urllib.parse.quote(name, safe='')}"
        query, body = _request(name, arguments, page)
        headers = {"Accept": accept} if body is None else {"Accept": accept, "Content-Type": "application/json"}
        token = self._token() if callable(self._token) else self._token
        deadline, retries, is_renewed = time.monotonic() + self._timeout, 0, not callable(self._token)
        while True:
            request = urllib.request.Request(address + query, data=body, headers={**headers, "X-API-KEY": token})
            try:
                with self._opener.open(request, timeout=max(deadline - time.monotonic(), 0.001)) as answer:
                    return answer.headers, answer.read()
            except urllib.error.HTTPError as refused:
                with refused:
                    error, wait = _error(refused), _wait(refused)
            if cast(str, error.code) == "TOKEN_EXPIRED" and callable(self._token) and not is_renewed:
                token, is_renewed = self._token(), True
                continue
            if wait is None or retries == _RETRIES or time.monotonic() + wait > deadline:
                raise error
            retries += 1
            time.sleep(wait)


def _request(name: str, arguments: Mapping[str, Any], page: Mapping[str, str]) -> Tuple[str, Optional[bytes]]:
    """The query string, or the body of a POST."""
    known = _ARGUMENTS.get(name)
    texts: Dict[str, Union[str, List[str]]] = {**page}
    for key, value in arguments.items():
        if known is not None and key not in known:
            raise TypeError(f"{name} has no argument {key!r}")
        if value is not None:
            is_list = isinstance(value, Iterable) and not isinstance(value, (str, dict))
            texts[key if known is None else known[key]] = [_text(one) for one in value] if is_list else _text(value)
    query = urllib.parse.urlencode(texts, doseq=True)
    # In an address, a list of one element that has a comma could be mistaken for a list in one text, and an empty element for none.
    lists = [one for one in texts.values() if isinstance(one, list)]
    is_unclear = any("" in one or len(one) == 1 and re.search(r"^\[|,", one[0]) for one in lists)
    if is_unclear or len(query) > _LONGEST_QUERY:
        return "", json.dumps(texts).encode()
    return "?" + query if query else "", None


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return json.dumps(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _meta(headers: Any, rows: int) -> Meta:
    found = re.search(r"(?:^|,)\s*sluice((?:;[^,]*)*)", headers["Cache-Status"] or "")
    words = re.search(r"\b(hit|collapsed)\b", found[1]) or re.search(r"\bfwd=(\w+)", found[1]) if found else None
    return {
        "row_count": int(headers["X-Row-Count"] or rows),
        "truncated": headers["X-Truncated"] == "true",
        "etag": headers["ETag"],
        "age_seconds": int(headers["Age"] or 0),
        "cache": cast(Any, words[1] if words else None),
        "request_id": headers["X-Request-Id"],
    }


def _error(refused: urllib.error.HTTPError) -> SluiceError:
    try:
        problem = json.loads(refused.read())
    except ValueError:
        problem = None
    if not isinstance(problem, dict) or not isinstance(problem.get("code"), str):
        problem = {"code": "UNKNOWN", "detail": f"the server answered {refused.code} {refused.reason}"}
    detail = str(problem.get("detail") or problem.get("title"))
    return SluiceError(problem["code"], refused.code, detail, problem.get("errors") or [], refused.headers["X-Request-Id"])


def _wait(refused: urllib.error.HTTPError) -> Optional[float]:
    """The seconds after which the call may be tried again; None where it may not."""
    text = (refused.headers["Retry-After"] or "").strip()
    if refused.code not in (429, 503) or not text:
        return None
    try:
        seconds = float(text) if text.isdigit() else email.utils.parsedate_to_datetime(text).timestamp() - time.time()
    except (TypeError, ValueError):
        return None
    return max(seconds, 0.0) if seconds <= _LONGEST_WAIT else None



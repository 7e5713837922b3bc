"""What can go wrong with a call, as one class."""

from __future__ import annotations

from typing import Any


class ServiceError(Exception):
    """A call that failed.

    `kind`: "rpc" (the service rejected it), "http" (a status other than 200), "network" or "timeout" (no answer),
    "certificate" (not trusted), "form" (the answer is not one of this interface).
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        method: str = "",
        code: int | None = None,
        status: int | None = None,
        params: dict[str, list[str]] | None = None,
        invalid_resources: list[Any] | None = None,
        partial_result: Any = None,
        trace: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.method = method
        self.code = code
        self.status = status
        self.params = params or {}
        self.invalid_resources = invalid_resources or []
        self.partial_result = partial_result
        self.trace = trace
        self.retry_after_s = retry_after_s


def fault_error(method: str, fault: dict[str, Any], status: int, retry_after_s: float | None) -> ServiceError:
    """The error of a JSON-RPC fault. The first problems belong to the message: it is what people see in their logs."""
    data = fault.get("data") or {}
    params = data.get("params") or {}
    problems = [f"{path or 'params'}: {', '.join(texts)}" for path, texts in list(params.items())[:3]]
    return ServiceError(
        "; ".join([fault.get("message", "failed"), *problems]),
        kind="rpc",
        method=method,
        code=fault.get("code"),
        status=status,
        params=params,
        invalid_resources=data.get("invalidResources"),
        partial_result=data.get("partialResult"),
        trace=data.get("trace"),
        retry_after_s=retry_after_s,
    )

"""The rule for wildcards in permissions, as the service applies it."""

from typing import Iterable, Optional


def permits(held: Optional[Iterable[str]], needed: str) -> bool:
    """Whether one of the permissions covers the needed one.

    `*` covers every permission, `orders:*` those that begin with `orders:`, any other only itself.
    """
    return any(
        permission == "*"
        or permission == needed
        or (permission.endswith(":*") and needed.startswith(permission[:-1]))
        for permission in held or ()
    )

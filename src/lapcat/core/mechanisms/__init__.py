"""The mechanisms lapcat has: one file each, and one name in the tuple. The suite in tests/laws runs over it."""

from lapcat.core.loss import PureDP
from lapcat.core.mechanisms.base import Law, Mechanism
from lapcat.core.mechanisms.laplace import DiscreteLaplaceLaw, Laplace

MECHANISMS: tuple[type[Mechanism[PureDP]], ...] = (Laplace,)

__all__ = ["MECHANISMS", "DiscreteLaplaceLaw", "Laplace", "Law", "Mechanism"]

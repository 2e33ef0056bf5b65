"""Local differential privacy: randomisers that each person applies to their own value, and unbiased estimators for the reports.

There is no trusted curator: only randomised reports leave a person's device.

import lapcat
choice = lapcat.local.choose(domain=["never", "sometimes", "daily"], epsilon=1)
print(choice)                                                    # which randomiser, and why
reports = choice.protocol.randomise(["never", "daily", "never"])  # what leaves the people
print(choice.protocol.estimate(reports))                          # what the collector can say
"""

from lapcat.core.coins import system_coins
from lapcat.local.choose import Candidate, Choice, choose
from lapcat.local.compare import Comparison, compare
from lapcat.local.domain import Numbers, Texts, Values
from lapcat.local.duchi import Duchi
from lapcat.local.hadamard import Hadamard
from lapcat.local.hashing import Hashing
from lapcat.local.hybrid import Hybrid
from lapcat.local.keyed import KeyedWords
from lapcat.local.laplace import Laplace
from lapcat.local.means import MeanEstimate
from lapcat.local.memo import Memo
from lapcat.local.permanent import Permanent
from lapcat.local.piecewise import Piecewise
from lapcat.local.prefixes import Found, Prefixes, find
from lapcat.local.protocol import FOR_NUMBERS, FOR_VALUES, Protocol, protocol_from_json, protocol_of
from lapcat.local.questions import Questions
from lapcat.local.response import Response
from lapcat.local.shares import Shares, project
from lapcat.local.survey import Survey, read_survey
from lapcat.local.unary import Unary

RANDOMISERS = (*FOR_VALUES, *FOR_NUMBERS, Questions, Prefixes)
"""One module and one name each; tests/local runs over all of them. `Permanent` is tested by the tests of waves."""

__all__ = [
    "RANDOMISERS",
    "Candidate",
    "Choice",
    "Comparison",
    "Duchi",
    "Found",
    "Hadamard",
    "Hashing",
    "Hybrid",
    "KeyedWords",
    "Laplace",
    "MeanEstimate",
    "Memo",
    "Numbers",
    "Permanent",
    "Piecewise",
    "Prefixes",
    "Protocol",
    "Questions",
    "Response",
    "Shares",
    "Survey",
    "Texts",
    "Unary",
    "Values",
    "choose",
    "compare",
    "find",
    "project",
    "protocol_from_json",
    "protocol_of",
    "read_survey",
    "system_coins",
]

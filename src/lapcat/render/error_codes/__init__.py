"""Reference of all error codes, printed by `lapcat error CODE` and rendered as docs/reference/errors.md.

`python -m lapcat.render.error_codes > docs/reference/errors.md` writes the page. A test collects the codes raised in
the source and fails if one is missing here.
"""

from lapcat.render.error_codes.bad_audit import AUDITS
from lapcat.render.error_codes.bad_catalogue import CATALOGUE, SOURCES
from lapcat.render.error_codes.bad_choice import CHOICES
from lapcat.render.error_codes.bad_frame import BUILDER, OPTIONS, SMARTNOISE
from lapcat.render.error_codes.bad_local import LOCAL, LOCAL_FILES
from lapcat.render.error_codes.bad_mechanism import ACCOUNTING, FILTERS, K_NORM, NUMBERS
from lapcat.render.error_codes.bad_people import PEOPLE
from lapcat.render.error_codes.bad_python import FRAMES, MECHANISMS
from lapcat.render.error_codes.bad_query import ARGUMENTS, QUESTIONS
from lapcat.render.error_codes.bad_together import TOGETHER
from lapcat.render.error_codes.bad_workload import WORKLOADS, WORKLOADS_REFUSED
from lapcat.render.error_codes.entry import FAMILIES, ErrorCode
from lapcat.render.error_codes.evidence import EVIDENCE
from lapcat.render.error_codes.page import as_markdown
from lapcat.render.error_codes.refused import BUDGET, REFUSED
from lapcat.render.error_codes.world import BUGS, ENGINE, INTEGRITY

BAD_QUERY = (
    *QUESTIONS,
    *ARGUMENTS,
    *CATALOGUE,
    *SOURCES,
    *FRAMES,
    *BUILDER,
    *OPTIONS,
    *SMARTNOISE,
    *MECHANISMS,
    *NUMBERS,
    *CHOICES,
    *K_NORM,
    *ACCOUNTING,
    *LOCAL,
    *TOGETHER,
    *WORKLOADS,
    *AUDITS,
)
ALL_CODES = (
    *BAD_QUERY,
    *PEOPLE,
    *REFUSED,
    *WORKLOADS_REFUSED,
    *BUDGET,
    *FILTERS,
    *INTEGRITY,
    *EVIDENCE,
    *ENGINE,
    *LOCAL_FILES,
    *BUGS,
)
ERROR_CODES: dict[str, ErrorCode] = {entry.code: entry for entry in ALL_CODES}

__all__ = ["ALL_CODES", "ERROR_CODES", "FAMILIES", "ErrorCode", "as_markdown"]

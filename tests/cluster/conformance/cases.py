"""Every case, by its name."""

from __future__ import annotations

from . import (cases_custom, cases_deleting, cases_kinds, cases_patches, cases_pods,  # noqa: F401
               cases_policies, cases_reading, cases_refusals, cases_statefulsets, cases_versions)
from .talk import CASES

__all__ = ["CASES"]

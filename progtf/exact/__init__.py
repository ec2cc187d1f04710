"""Worst-case bounds of written programs: would the network ever differ from what is meant?"""

from progtf.exact.check import check
from progtf.exact.formats import FORMATS
from progtf.exact.report import Report

__all__ = ["FORMATS", "Report", "check"]

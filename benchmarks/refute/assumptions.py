"""Assumptions of certificates held against what happened: was one of them broken?"""

from progtf.exact import Report
from progtf.exact.kept import Watch, broken_by
from progtf.program.answers import Readout
from progtf.program.model import Program


def broken(program: Program, report: Report, readout: Readout, watch: Watch) -> bool:
    """Whether an input breaks an assumption."""
    return bool(broken_by(program, readout, watch, report.held))

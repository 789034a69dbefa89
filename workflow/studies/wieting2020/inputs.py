"""What this study's rules read."""

from __future__ import annotations

from tandem.studies.plan import Plan


class Inputs:
    """Inputs and parameters of the study's rules."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

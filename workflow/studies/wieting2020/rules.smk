"""Rules of this study alone: its target."""

import wieting2020.inputs

wieting2020 = wieting2020.inputs.Inputs(STUDIES["wieting2020"])


rule bgt:
    """All tables, figures and claims of wieting2020."""
    input:
        wieting2020.plan.targets,

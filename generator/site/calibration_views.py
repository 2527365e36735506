"""The calibration page: what the thresholds come from, or what a calibration still waits for; never permanent."""

from __future__ import annotations

from collections.abc import Iterator

from generator.records.calibration import CalibrationRule
from generator.records.definition import version_key
from generator.site import calibration_sections, candidate_sections
from generator.site.frame import Step, frame, replayed_line
from generator.site.library import Library
from generator.site.links import INDEX, Links
from generator.site.templates import Templates

PATH = f"calibration/{INDEX}"


def render(library: Library, templates: Templates) -> Iterator[tuple[str, bytes]]:
    """Yield the calibration page; it is there before the first calibration too."""
    material = library.material
    calibrations = sorted(material.calibrations, key=lambda each: version_key(each.version), reverse=True)
    candidates = sorted(material.candidate_evidence, key=lambda each: version_key(each.version), reverse=True)
    page = templates.render(
        "calibration.html",
        page=frame(
            PATH,
            material.settings,
            title="Calibration",
            description="What the thresholds come from, what was counted on the recorded nights, and where it fails.",
            steps=(Step(text="calibration", href=INDEX),),
            replayed=replayed_line(night.record for night in material.nights),
        ),
        links=Links(PATH),
        library=library,
        graded={each.method_version for each in material.windows},
        needed=CalibrationRule().nights,
        recorded=len(library.recorded),
        calibrations=tuple((each, calibration_sections.sections(each)) for each in calibrations),
        candidates=tuple((each, candidate_sections.sections(each)) for each in candidates),
        reports=tuple(candidate_sections.report_section(each) for each in material.prompt_reports),
    )
    yield PATH, page

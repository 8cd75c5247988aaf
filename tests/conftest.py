"""Settings for the whole suite: hypothesis sets no deadline, since a first call may compile a kernel."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("abapa", deadline=None)
settings.load_profile("abapa")

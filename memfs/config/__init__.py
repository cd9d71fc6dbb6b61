"""Settings: ``memfs.toml``, ``memfs.local.toml`` and the environment become one frozen `Config`.

Every setting is declared once, as a field in `memfs.config.settings`; reading, validation,
``memfs config`` and ``docs/settings.md`` all follow from there. To change a key:
`memfs.config.changing.set_setting`; for the person's time zone: `memfs.config.zones.local_zone`.
"""

from memfs.config.reading import LOCAL_NAME, SHARED_NAME, load_config
from memfs.config.settings import SETTINGS, Config, Setting, SourceConfig

__all__ = ["LOCAL_NAME", "SETTINGS", "SHARED_NAME", "Config", "Setting", "SourceConfig", "load_config"]

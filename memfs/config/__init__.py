"""Settings: ``memfs.toml``, ``memfs.local.toml`` and the environment become one frozen `Config`.

Every setting is declared once, as a field in `memfs.config.settings`; reading, validation,
``memfs config`` and ``docs/settings.md`` all follow from there. To change a key:
`memfs.config.changing.set_setting`; for the person's time zone: `memfs.config.zones.local_zone`.
"""

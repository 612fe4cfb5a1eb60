"""The files of a study, read strictly: TOML and Markdown, each error with its file and line."""

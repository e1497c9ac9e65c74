"""What is to be run: studies read from TOML, their runs, mechanisms from outside."""

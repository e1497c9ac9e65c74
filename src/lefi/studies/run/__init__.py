"""Running studies, keeping what they bring, and reading it back."""

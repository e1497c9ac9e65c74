"""The report: one self-contained page of claims, figures and tables."""

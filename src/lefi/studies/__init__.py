"""Studies: many runs of many mechanisms, kept as Parquet, and what is read off them."""

"""Alembic's entry: migrate over the connection that the ledger has opened, inside its transaction."""

from alembic import context

from lefi.ledger.schema import tables

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=tables, transactional_ddl=True)
context.run_migrations()

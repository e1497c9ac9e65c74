"""What the server may not see: the clients, their costs, and how they decide."""

"""The agent of `drl`: what it sees of each client, its network, its reward, and files of weights. Numpy only."""

"""A small convolutional network, its training and its test. One thread, so that every engine gives the same numbers."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn


class Net(nn.Module):
    """Two convolutions and a linear layer; takes 8 x 8 digits and 32 x 32 colour images."""

    def __init__(self, channels: int, side: int, seed: int = 0) -> None:
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.body = nn.Sequential(
                nn.Conv2d(channels, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                nn.Flatten(), nn.Linear(16 * (side // 4) ** 2, 10),
            )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self.body(x)
        return logits


def train(net: Net, x: NDArray[np.float32], y: NDArray[np.int64], epochs: int, seed: int) -> float:
    """Momentum SGD; the mean loss of the last epoch."""
    torch.set_num_threads(1)
    order = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    images, labels = torch.from_numpy(x), torch.from_numpy(y)
    loss_of = nn.CrossEntropyLoss()
    losses: list[float] = []
    for _ in range(epochs):
        losses.clear()
        for batch in torch.randperm(len(labels), generator=order).split(32):  # type: ignore[no-untyped-call]
            optimizer.zero_grad()
            loss = loss_of(net(images[batch]), labels[batch])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return float(np.mean(losses))


def accuracy(net: Net, x: NDArray[np.float32], y: NDArray[np.int64]) -> float:
    torch.set_num_threads(1)
    with torch.no_grad():
        return float((net(torch.from_numpy(x)).argmax(1).numpy() == y).mean())

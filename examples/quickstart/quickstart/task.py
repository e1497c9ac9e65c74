"""Model, data, training and test."""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    """A small network for digits."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Linear(64, 32)
        self.two = nn.Linear(32, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.two(F.relu(self.one(x)))


def load_data(partition_id: int, num_partitions: int, batch_size: int) -> tuple[DataLoader, DataLoader]:
    """Every client's own rows, 80% of them for training."""
    digits = load_digits()
    x = torch.tensor(digits.data[partition_id::num_partitions] / 16, dtype=torch.float32)
    y = torch.tensor(digits.target[partition_id::num_partitions])
    cut = int(0.8 * len(y))
    trainset, testset = TensorDataset(x[:cut], y[:cut]), TensorDataset(x[cut:], y[cut:])
    return DataLoader(trainset, batch_size=batch_size, shuffle=True), DataLoader(testset, batch_size=batch_size)


def train(net: Net, trainloader: DataLoader, epochs: int, lr: float) -> float:
    optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
    running_loss = 0.0
    for _ in range(epochs):
        for x, y in trainloader:
            optimizer.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            optimizer.step()
            running_loss += loss.item()
    return running_loss / len(trainloader)


def test(net: Net, testloader: DataLoader) -> tuple[float, float]:
    loss, correct = 0.0, 0
    with torch.no_grad():
        for x, y in testloader:
            outputs = net(x)
            loss += F.cross_entropy(outputs, y).item()
            correct += int((outputs.argmax(1) == y).sum())
    return loss / len(testloader), correct / len(testloader.dataset)

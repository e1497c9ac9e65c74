"""Steps of SGD with momentum, for many local models at once or for one after another.

M local models, n of them at work, B batch
rows  (n, B)  indices of the samples       left  (n,)  real samples from here on; the rest of the batch is padding
v <- momentum v + gradient,  w <- w - learning_rate v     (v starts at 0 in every round, as a fresh optimiser does)
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol

import torch
from torch import nn
from torch.func import functional_call, grad, vmap
from torch.nn.functional import cross_entropy

from lefi.errors import LefiError

Weights = dict[str, torch.Tensor]

GRAPH_LIMIT = 128  # above this many models the device is busy anyway, and a graph only holds memory
FEW_SHAPES = 8  # a graph is captured for every number of models still at work: paid clients finish one by one
WARM_UPS = 3  # passes before a CUDA graph may be captured


@dataclass(frozen=True, eq=False)
class Task:
    """What a step needs: the network, the data on the device, the optimiser's two numbers."""

    network: nn.Module
    images: torch.Tensor
    labels: torch.Tensor
    mean: torch.Tensor
    deviation: torch.Tensor
    learning_rate: float
    momentum: float

    def scale(self, pixels: torch.Tensor) -> torch.Tensor:
        return (pixels.float() - self.mean) / self.deviation

    def loss(self, weights: Weights, images: torch.Tensor, labels: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
        """Mean cross entropy over the real samples of one batch."""
        scores = functional_call(self.network, weights, (images,))
        return (cross_entropy(scores, labels, reduction="none") * real).sum() / real.sum()

    def update(self, weights: Weights, velocity: Weights, gradient: Weights) -> None:
        for name, values in weights.items():
            velocity[name].mul_(self.momentum).add_(gradient[name])
            values.sub_(velocity[name], alpha=self.learning_rate)


class Lane(Protocol):
    """The local models of one round while they train."""

    def step(self, rows: torch.Tensor, left: torch.Tensor) -> None: ...

    def weights(self) -> Weights: ...


class Steps(Protocol):
    """A way to take steps."""

    def lane(self, local: Weights, shapes: int = 1) -> AbstractContextManager[Lane]:
        """`shapes`: how many numbers of models there will be at work."""
        ...


@contextmanager
def exact() -> Iterator[None]:
    """float32 throughout and the same result every time; out of memory becomes one line.

    One CPU thread: the steps are small, and threads that wait for each other cost more than they bring (measured).
    """
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.backends.cudnn.flags(enabled=True, benchmark=False, deterministic=True, allow_tf32=False):
            yield
    except torch.OutOfMemoryError:
        raise LefiError("the device is out of memory: train fewer cells together (--together)") from None
    finally:
        torch.set_num_threads(threads)


class OneByOne:
    """Client after client, as a plain training loop does. The reference, and often the best on a CPU."""

    def __init__(self, task: Task) -> None:
        self.task = task

    @contextmanager
    def lane(self, local: Weights, shapes: int = 1) -> Iterator["_OneByOneLane"]:
        yield _OneByOneLane(self.task, local)


class _OneByOneLane:
    def __init__(self, task: Task, local: Weights) -> None:
        self.task, self.local = task, local
        self.velocity = {name: torch.zeros_like(values) for name, values in local.items()}

    def step(self, rows: torch.Tensor, left: torch.Tensor) -> None:
        for m, (row, real) in enumerate(zip(rows, left.tolist(), strict=True)):
            row = row[:real]
            weights = {name: values[m].detach().requires_grad_() for name, values in self.local.items()}
            scores = functional_call(self.task.network, weights, (self.task.scale(self.task.images[row]),))
            loss = cross_entropy(scores, self.task.labels[row])
            gradient = dict(zip(weights, torch.autograd.grad(loss, list(weights.values())), strict=True))
            with torch.no_grad():
                here = {name: values[m] for name, values in self.local.items()}
                self.task.update(here, {name: values[m] for name, values in self.velocity.items()}, gradient)

    def weights(self) -> Weights:
        return self.local


class SideBySide:
    """All clients in one step: torch.func maps the gradient over stacked models; few models replay a CUDA graph."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.gradient = vmap(grad(task.loss))
        self._lanes: dict[int, _GraphLane] = {}

    @contextmanager
    def lane(self, local: Weights, shapes: int = 1) -> Iterator["_SideBySideLane"]:
        values = next(iter(local.values()))
        if values.device.type != "cuda" or len(values) > GRAPH_LIMIT or shapes > FEW_SHAPES:
            yield _SideBySideLane(self, local)
            return
        if len(values) not in self._lanes:
            self._lanes[len(values)] = _GraphLane(self, local)
        lane = self._lanes[len(values)]
        lane.start(local)
        yield lane


class _SideBySideLane:
    def __init__(self, steps: SideBySide, local: Weights) -> None:
        self.steps, self.local = steps, local
        self.velocity = {name: torch.zeros_like(values) for name, values in local.items()}

    def step(self, rows: torch.Tensor, left: torch.Tensor) -> None:
        n = len(rows)
        task = self.steps.task
        real = (torch.arange(rows.shape[1], device=rows.device) < left[:, None]).float()
        weights = {name: values[:n] for name, values in self.local.items()}
        velocity = {name: values[:n] for name, values in self.velocity.items()}
        gradient = self.steps.gradient(weights, task.scale(task.images[rows]), task.labels[rows], real)
        task.update(weights, velocity, gradient)

    def weights(self) -> Weights:
        return self.local


class _GraphLane(_SideBySideLane):
    """The same step, captured once for each n and replayed: small steps are all launch overhead."""

    def __init__(self, steps: SideBySide, local: Weights) -> None:
        super().__init__(steps, {name: values.clone() for name, values in local.items()})
        self.graphs: dict[int, tuple[torch.cuda.CUDAGraph, torch.Tensor, torch.Tensor]] = {}

    def start(self, local: Weights) -> None:
        for name, values in local.items():
            self.local[name].copy_(values)
            self.velocity[name].zero_()

    def step(self, rows: torch.Tensor, left: torch.Tensor) -> None:
        if len(rows) not in self.graphs:
            self.graphs[len(rows)] = self._capture(rows.clone(), left.clone())
        graph, its_rows, its_left = self.graphs[len(rows)]
        its_rows.copy_(rows)
        its_left.copy_(left)
        graph.replay()

    def _capture(
        self, rows: torch.Tensor, left: torch.Tensor
    ) -> tuple[torch.cuda.CUDAGraph, torch.Tensor, torch.Tensor]:
        kept = [values.clone() for values in (*self.local.values(), *self.velocity.values())]
        stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(WARM_UPS):
                super().step(rows, left)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            super().step(rows, left)
        for values, before in zip((*self.local.values(), *self.velocity.values()), kept, strict=True):
            values.copy_(before)
        return graph, rows, left

    def weights(self) -> Weights:
        return {name: values.clone() for name, values in self.local.items()}

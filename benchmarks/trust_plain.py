"""A client's training as plain PyTorch does it: one model, one optimiser, one batch after the other."""

from copy import deepcopy

import torch
from torch.nn.functional import cross_entropy

from lefi.arrays import IntArray
from lefi.profiling.cheats import Job

State = dict[str, torch.Tensor]


def trained(job: Job, start: State, samples: IntArray) -> State:
    """The model after the local epochs of the job's recipe on these samples."""
    task, recipe = job.trainer.task, job.trainer.recipe
    network = deepcopy(task.network)
    network.load_state_dict(start)
    optimizer = torch.optim.SGD(network.parameters(), lr=recipe.learning_rate, momentum=recipe.momentum)
    rows = torch.from_numpy(samples).to(task.images.device)
    images, labels = task.scale(task.images[rows]), task.labels[rows]
    for _ in range(recipe.epochs):
        for batch in torch.split(torch.randperm(len(rows), device=rows.device), recipe.batch):
            optimizer.zero_grad()
            torch.autograd.backward(cross_entropy(network(images[batch]), labels[batch]))
            optimizer.step()
    return {name: values.detach() for name, values in network.state_dict().items()}

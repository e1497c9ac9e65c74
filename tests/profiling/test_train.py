"""FedAvg: the vectorised steps against a plain PyTorch loop, exact samples, determinism."""

import numpy as np
import pytest
import torch
from torch import nn

from lefi.errors import InputError, LefiError
from lefi.profiling.data import Images, load_images
from lefi.profiling.device import choose_device
from lefi.profiling.model import build, small_cnn
from lefi.profiling.shuffle import shuffled
from lefi.profiling.train import Recipe, Trainer

CPU = torch.device("cpu")
DIGITS = load_images("digits")
RECIPE = Recipe(learning_rate=0.05, batch=16, epochs=2)


def trainer(**changes: bool) -> Trainer:
    return Trainer(DIGITS, RECIPE, CPU, **changes)


def jobs(counts: list[list[int]]) -> tuple[torch.Tensor, "np.typing.NDArray[np.int64]", list[int]]:
    """Federations with clients of these sizes."""
    table = np.array(counts)
    rng = np.random.default_rng(0)
    samples = rng.integers(0, len(DIGITS.labels), (*table.shape, max(1, table.max())))
    return torch.from_numpy(samples), table, list(range(len(counts)))


def plain_fedavg(samples: torch.Tensor, counts: list[int], seed: int, rounds: int) -> dict[str, torch.Tensor]:
    """One federation as any tutorial writes it: torch.optim.SGD, one client after another."""
    task = trainer().task
    network = build(RECIPE.model, DIGITS.shape, DIGITS.classes, seed)
    for number in range(1, rounds + 1):
        start = {name: values.clone() for name, values in network.state_dict().items()}
        mean = {name: torch.zeros_like(values) for name, values in start.items()}
        for client, count in enumerate(counts):
            if count == 0:
                continue
            network.load_state_dict(start)
            optimiser = torch.optim.SGD(network.parameters(), RECIPE.learning_rate, RECIPE.momentum)
            for epoch in range(RECIPE.epochs):
                own = samples[client : client + 1, :count]
                order = shuffled(own, torch.tensor([count]), [seed], np.array([client]), number, epoch)[0]
                for rows in torch.split(order, RECIPE.batch):
                    optimiser.zero_grad()
                    scores = network(task.scale(task.images[rows]))
                    nn.functional.cross_entropy(scores, task.labels[rows]).backward()  # type: ignore[no-untyped-call]
                    optimiser.step()
            for name, values in network.state_dict().items():
                mean[name] += values * count / sum(counts)
        network.load_state_dict(mean)
    return network.state_dict()


@pytest.mark.parametrize("side_by_side", [True, False])
def test_training_is_what_a_plain_loop_does(side_by_side: bool) -> None:
    samples, counts, seeds = jobs([[40, 16, 0], [7, 33, 50]])
    ours = trainer(side_by_side=side_by_side)
    weights = ours.initial(seeds)
    for number in (1, 2):
        weights = ours.round(weights, samples, counts, seeds, number)
    for seed in seeds:
        for name, values in plain_fedavg(samples[seed], counts[seed].tolist(), seed, 2).items():
            torch.testing.assert_close(weights[name][seed], values, rtol=1e-4, atol=1e-5)


def test_the_same_seed_gives_the_same_bits() -> None:
    samples, counts, seeds = jobs([[40, 16], [7, 33]])
    first, second = (trainer() for _ in range(2))
    one, two = (t.round(t.initial(seeds), samples, counts, seeds, 1) for t in (first, second))
    assert all(torch.equal(one[name], two[name]) for name in one)
    other = first.round(first.initial([5, 6]), samples, counts, [5, 6], 1)
    assert not torch.equal(one["0.weight"], other["0.weight"])


def test_who_trains_beside_a_federation_does_not_matter() -> None:
    samples, counts, seeds = jobs([[40, 16], [7, 33]])
    ours = trainer()
    both = ours.round(ours.initial(seeds), samples, counts, seeds, 1)
    alone = ours.round(ours.initial(seeds[1:]), samples[1:], counts[1:], seeds[1:], 1)
    for name, values in alone.items():
        torch.testing.assert_close(values[0], both[name][1], rtol=1e-5, atol=1e-6)


def test_nobody_delivers_and_the_model_stays() -> None:
    samples, counts, seeds = jobs([[0, 0], [7, 0]])
    ours = trainer()
    start = ours.initial(seeds)
    after = ours.round(start, samples, counts, seeds, 1)
    assert torch.equal(after["0.weight"][0], start["0.weight"][0])
    assert not torch.equal(after["0.weight"][1], start["0.weight"][1])
    none = ours.round(start, samples, np.zeros_like(counts), seeds, 1)
    assert torch.equal(none["0.weight"], start["0.weight"])


def test_an_epoch_visits_each_sample_once() -> None:
    own = torch.arange(30).reshape(2, 15)
    order = shuffled(own, torch.tensor([15, 6]), [3, 3], np.array([0, 1]), 1, 0)
    assert order[0].sort().values.tolist() == list(range(15))
    assert order[1, :6].sort().values.tolist() == list(range(15, 21))
    assert order[0].tolist() != list(range(15))
    assert order[0].tolist() != shuffled(own, torch.tensor([15, 6]), [3, 3], np.array([0, 1]), 2, 0)[0].tolist()


def test_accuracy_counts_what_is_right() -> None:
    ours = trainer()
    weights = ours.initial([0, 1])
    for name, values in weights.items():
        values.zero_()
        if name == "9.bias":
            values[0, 3] = values[1, 7] = 1.0  # model 0 always says 3, model 1 always 7
    expected = [np.mean(DIGITS.test_labels == 3), np.mean(DIGITS.test_labels == 7)]
    assert ours.accuracy(weights) == pytest.approx(expected)


def test_it_learns_digits() -> None:
    samples, counts, seeds = jobs([[300, 300, 300]])
    ours = trainer()
    weights = ours.initial(seeds)
    for number in range(1, 11):
        weights = ours.round(weights, samples, counts, seeds, number)
    assert ours.accuracy(weights)[0] > 0.85


def test_building_leaves_the_global_generator_alone() -> None:
    before = torch.random.get_rng_state()
    build(RECIPE.model, DIGITS.shape, 10, 4)
    assert torch.equal(torch.random.get_rng_state(), before)


def dropout_net(channels: int, height: int, width: int, classes: int) -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Dropout(0.5), nn.Linear(channels * height * width, classes))


def dense_net(channels: int, height: int, width: int, classes: int) -> nn.Module:
    return nn.Sequential(nn.Flatten(), nn.Linear(channels * height * width, classes))


def test_any_factory_by_its_path() -> None:
    ours = Trainer(DIGITS, Recipe(model=f"{__name__}:dense_net"), CPU)
    assert set(ours.initial([0])) == {"1.weight", "1.bias"}
    for wrong in ("nowhere:net", f"{__name__}:nothing", "no-colon", f"{__name__}:CPU"):
        with pytest.raises(InputError, match="model"):
            Trainer(DIGITS, Recipe(model=wrong), CPU)
    with pytest.raises(LefiError, match="has a Dropout"):
        Trainer(DIGITS, Recipe(model=f"{__name__}:dropout_net"), CPU)


def test_the_small_cnn_takes_both_image_sizes() -> None:
    assert small_cnn(3, 32, 32, 10)(torch.zeros(2, 3, 32, 32)).shape == (2, 10)
    assert small_cnn(1, 7, 9, 4)(torch.zeros(2, 1, 7, 9)).shape == (2, 4)


def test_no_gpu_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device("auto").type == "cpu"
    with pytest.raises(LefiError, match="no GPU here; use --device cpu"):
        choose_device("cuda")
    with pytest.raises(InputError, match="auto, cpu or cuda"):
        choose_device("tpu")


def test_out_of_memory_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    samples, counts, seeds = jobs([[20]])
    ours = trainer()

    def full(*_: object) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 100 GiB")

    monkeypatch.setattr(ours, "_average", full)
    with pytest.raises(LefiError, match="out of memory: train fewer cells together"):
        ours.round(ours.initial(seeds), samples, counts, seeds, 1)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here")
def test_cpu_and_gpu_agree() -> None:
    samples, counts, seeds = jobs([[40, 16], [7, 33]])
    images = Images(DIGITS.name, DIGITS.train, DIGITS.labels, DIGITS.test, DIGITS.test_labels)
    results = []
    for device in (CPU, torch.device("cuda")):
        ours = Trainer(images, RECIPE, device)
        weights = ours.round(ours.initial(seeds), samples.to(device), counts, seeds, 1)
        results.append({name: values.cpu() for name, values in weights.items()})
    for name in results[0]:
        torch.testing.assert_close(results[0][name], results[1][name], rtol=1e-3, atol=1e-4)

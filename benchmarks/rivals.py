"""What others offer for the same round: fit all clients' processes to their histories, predict at two inputs each.

Each takes x, y (n, t) and q (n, 2) and gives means and standard deviations (n, 2); prior mean = the client's own mean.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.workload import HYPER
from lefi.arrays import FloatArray

Answer = tuple[FloatArray, FloatArray]
BATCH = 500  # clients that tinygp sees at once: compiled in 9 s (10,000 in 150 s), and as fast per client
Rival = Callable[[FloatArray, FloatArray, FloatArray], Answer]


def sklearn_fixed(x: FloatArray, y: FloatArray, q: FloatArray, optimizer: str | None = None) -> Answer:
    """scikit-learn, one regressor per client."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    mean, std = np.empty(q.shape), np.empty(q.shape)
    for i in range(len(x)):
        kernel: Any = ConstantKernel(HYPER.signal) * Matern(HYPER.lengthscale, nu=1.5)
        if optimizer:
            kernel = kernel + WhiteKernel(HYPER.noise)
        process = GaussianProcessRegressor(kernel, alpha=1e-10 if optimizer else HYPER.noise, optimizer=optimizer)
        centre = y[i].mean()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            process.fit(x[i][:, None], y[i] - centre)
        m, std[i] = process.predict(q[i][:, None], return_std=True)
        mean[i] = m + centre
    return mean, std


def sklearn_optimiser(x: FloatArray, y: FloatArray, q: FloatArray) -> Answer:
    """scikit-learn, one regressor per client, hyper-parameters by its optimiser."""
    return sklearn_fixed(x, y, q, "fmin_l_bfgs_b")


def gpytorch_batched(x: FloatArray, y: FloatArray, q: FloatArray) -> Answer:
    """GPyTorch, all clients as one batch, exact."""
    import gpytorch
    import torch

    X, Y, Q = (torch.from_numpy(np.ascontiguousarray(a)) for a in (x[..., None], y, q[..., None]))
    batch = torch.Size([len(x)])

    class Model(gpytorch.models.ExactGP):  # type: ignore[misc]
        def __init__(self, likelihood: Any) -> None:
            super().__init__(X, Y, likelihood)
            self.mean_module = gpytorch.means.ConstantMean(batch_shape=batch)
            self.covar_module = gpytorch.kernels.ScaleKernel(
                gpytorch.kernels.MaternKernel(nu=1.5, batch_shape=batch), batch_shape=batch
            )

        def forward(self, z: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(z), self.covar_module(z))

    noise = gpytorch.constraints.GreaterThan(1e-9)
    likelihood = gpytorch.likelihoods.GaussianLikelihood(batch_shape=batch, noise_constraint=noise).double()
    model = Model(likelihood).double()
    likelihood.noise = HYPER.noise * HYPER.signal
    model.covar_module.outputscale = HYPER.signal
    model.covar_module.base_kernel.lengthscale = HYPER.lengthscale
    model.mean_module.constant.data = Y.mean(dim=1)
    model.eval()
    with torch.no_grad(), gpytorch.settings.fast_computations(False, False, False):
        found = model(Q)
        return found.mean.numpy(), found.variance.sqrt().numpy()


def tinygp_vmap() -> Rival:
    """tinygp's quasi-separable solver, jit(vmap) over clients, in batches that XLA compiles within seconds."""
    import jax
    import jax.numpy as jnp
    import tinygp

    jax.config.update("jax_enable_x64", True)

    def one(x: Any, y: Any, q: Any) -> Any:
        kernel = HYPER.signal * tinygp.kernels.quasisep.Matern32(scale=HYPER.lengthscale)
        process = tinygp.GaussianProcess(kernel, x, diag=HYPER.noise * HYPER.signal, mean=y.mean())
        found = process.condition(y, q, diag=jnp.zeros(2)).gp
        return found.loc, jnp.sqrt(found.variance)

    every = jax.jit(jax.vmap(one))

    def run(x: FloatArray, y: FloatArray, q: FloatArray) -> Answer:
        order = np.argsort(x, axis=1)
        x, y = np.take_along_axis(x, order, axis=1), np.take_along_axis(y, order, axis=1)
        parts = [slice(at, at + BATCH) for at in range(0, len(x), BATCH)]
        found = [every(x[part], y[part], q[part]) for part in parts]
        return np.concatenate([mean for mean, _ in found]), np.concatenate([std for _, std in found])

    return run

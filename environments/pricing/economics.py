"""Nested logit demand and the profit-maximising prices in closed form.

Notation of the paper (section 3.3.3) in real prices x_i = p_i / alpha_i: qualities a_i, unit costs c_i, nests j,
one nesting parameter s for all nests, market size M, weight O of the outside option.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from environments.base import Instance

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Demand:
    """A nested logit market of n products.

    qualities, costs: (n,), in real money
    nests: (n,), the nest of each product
    """

    qualities: Floats
    costs: Floats
    nests: NDArray[np.intp]
    sigma: float
    market_size: float
    outside_weight: float

    @classmethod
    def of(cls, instance: Instance) -> Self:
        hidden = instance.hidden
        return cls(
            qualities=np.array(hidden["qualities"], dtype=float),
            costs=np.array(instance.parameters["costs"], dtype=float),
            nests=np.array(hidden["nests"], dtype=np.intp),
            sigma=hidden["sigma"],
            market_size=hidden["market_size"],
            outside_weight=hidden["outside_weight"],
        )

    def quantities(self, prices: ArrayLike, alphas: ArrayLike) -> Floats:
        """Units sold of each product, in the shape of `prices`, whose last axis is the products.

        The computation in log space accepts any finite price.

        q_i = M u_i / D_j * D_j^(1-s) / (O + sum_j D_j^(1-s)), u_i = exp((a_i - x_i) / (1-s)),
        D_j = sum of u_i in nest j.
        """
        log_u = (self.qualities - real_prices(prices, alphas)) / (1 - self.sigma)
        nest_ids, nest_of = np.unique(self.nests, return_inverse=True)
        log_d = np.stack([log_sum_exp(log_u[..., self.nests == nest]) for nest in nest_ids], axis=-1)
        log_weights = (1 - self.sigma) * log_d
        outside = np.full((*log_u.shape[:-1], 1), np.log(self.outside_weight))
        log_total = log_sum_exp(np.concatenate([log_weights, outside], axis=-1))[..., np.newaxis]
        log_share = log_u - log_d[..., nest_of] + log_weights[..., nest_of] - log_total
        # exp of a value below -745 is 0. Clipping there avoids NumPy's underflow warning.
        return np.asarray(self.market_size * np.exp(np.maximum(log_share, -745.0)))

    def profits(self, prices: ArrayLike, alphas: ArrayLike) -> Floats:
        """Profit of each product, (n,): (x_i - c_i) q_i."""
        return np.asarray((real_prices(prices, alphas) - self.costs) * self.quantities(prices, alphas))

    def optimal_markup(self) -> float:
        """The markup m = x_i - c_i that maximises total profit; it is the same for every product.

        With one s for all nests, the markup is the same within a nest and across nests. At a common markup m the inside
        weight is V e^-m with V = sum_j A_j^(1-s), A_j = sum_{i in j} exp((a_i - c_i) / (1-s)). So profit is M m S(m) with
        S = V e^-m / (O + V e^-m). The first-order condition S + m S' = 0, with S' = -S (1 - S), gives m (1 - S) = 1. That
        is (m - 1) e^(m - 1) = V / (O e), so m = 1 + W(V / (O e)) with Lambert's W. The Wright omega function,
        omega(z) = W(e^z), evaluates it from log V without overflow.
        """
        from scipy.special import wrightomega

        log_u = (self.qualities - self.costs) / (1 - self.sigma)
        log_a = np.array([log_sum_exp(log_u[self.nests == nest]) for nest in np.unique(self.nests)])
        log_v = log_sum_exp((1 - self.sigma) * log_a)
        return 1.0 + float(wrightomega(log_v - np.log(self.outside_weight) - 1.0))

    def optimal_prices(self, alphas: ArrayLike) -> Floats:
        """Profit-maximising prices alpha_i (c_i + m), in the shape of `alphas`, (periods, n)."""
        return np.asarray(alphas, dtype=float) * (self.costs + self.optimal_markup())

    def optimal_profit(self) -> float:
        """Largest total profit of a period, M m S(m) = M (m - 1). It is the same in every period."""
        return self.market_size * (self.optimal_markup() - 1.0)

    def total_profits(self, prices: ArrayLike, alphas: ArrayLike) -> tuple[Floats, Floats]:
        """Total profit of each period, (periods,), and its derivative by each real price x_k, (periods, n).

        The derivative is q_k - m_k q_k / (1-s) + s / (1-s) * w_k * (profit of the nest of k) + q_k / M * (total profit)
        with markup m_k and the share w_k of the nest's units that are of product k (Berry 1994, RAND 25).
        """
        sold = self.quantities(prices, alphas)
        profits = (real_prices(prices, alphas) - self.costs) * sold
        same_nest = (self.nests[:, None] == self.nests).astype(float)
        of_nest = sold @ same_nest
        in_nest = np.divide(sold, of_nest, out=np.zeros_like(sold), where=of_nest > 0)
        total = profits.sum(axis=-1)
        inner = (self.sigma * in_nest * (profits @ same_nest) - profits) / (1 - self.sigma)
        return total, sold + inner + sold / self.market_size * total[:, None]

    def best_constant_prices(self, alphas: ArrayLike) -> Floats:
        """The prices (n,) that maximise the total profit if they stay the same in all periods of `alphas`, (periods, n).

        L-BFGS on the logarithms of the prices, from the mean of the optimal prices. Source: paper, figure 6.
        """
        from scipy.optimize import minimize

        path = np.asarray(alphas, dtype=float)
        optimal, scale = self.optimal_prices(path), len(path) * self.optimal_profit()

        def loss(log_prices: Floats) -> tuple[float, Floats]:
            prices = np.exp(log_prices)
            totals, slopes = self.total_profits(np.broadcast_to(prices, path.shape), path)
            return -float(totals.sum()) / scale, -(slopes / path).sum(axis=0) * prices / scale

        return np.asarray(np.exp(minimize(loss, np.log(optimal.mean(axis=0)), jac=True, method="L-BFGS-B").x))


def real_prices(prices: ArrayLike, alphas: ArrayLike) -> Floats:
    """Real prices x_i = p_i / alpha_i, clipped at 1e300 to avoid overflows. Nothing sells at such prices anyway."""
    return np.asarray(np.clip(np.asarray(prices, dtype=float), -1e300, 1e300) / np.asarray(alphas, dtype=float))


def log_sum_exp(values: Floats) -> Floats:
    """Logarithm of the sum of e^value over the last axis, for finite values.

    The result has the same bits as that of scipy.special.logsumexp, but is computed much faster.
    SciPy's function also supports other array libraries and complex numbers. It took longer than
    all other computations of a period together.
    """
    largest = values.max(axis=-1, keepdims=True)
    is_largest = values == largest
    count = is_largest.sum(axis=-1, dtype=float)
    rest = np.where(is_largest, 0.0, np.exp(values - largest)).sum(axis=-1) / count
    return np.asarray(np.log1p(rest) + np.log(count) + largest[..., 0])

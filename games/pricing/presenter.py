"""Pages of pricing: prices, sales and profits, compared with the optimal ones."""

from statistics import median

from environments.pricing.economics import Demand
from environments.pricing.instance import JUMP
from environments.shocks import period_of
from games.presenter import KeyNumber, PageSection, Presenter, price_moved, recovery_number
from infrastructure.figures.theme import LEGEND_ROW
from infrastructure.text.formats import counted, dollars, number, percent, signed_points, span
from infrastructure.text.tables import Column, Printed, text_table
from runs.models import Instance, Period, Run

GOOD_SHARE, POOR_SHARE = 0.95, 0.7
FEW_PRODUCTS = 4
SHIFTS = {"linear": "linear shifts", "periodic": "periodic shifts", JUMP: "a jump"}
COLUMNS = (
    "Product",
    "Price",
    Column("Optimal price", value_type=float, anchor="optimum-of-pricing"),
    "Sold",
    "Profit",
    Column("Optimal profit", value_type=float, anchor="optimum-of-pricing"),
    Column("Share", value_type=float, anchor="pricing-score"),
)
ABOVE = (
    "A share above 100 % is of a product that earned more than at the optimal prices, at the expense of the others; the "
    "total is at most 100 %."
)


class PricingPresenter(Presenter):
    chart_title = "Price by period"
    instance_title = "Optimal prices and demand"

    def chart_heights(self, run: Run) -> tuple[int, int]:
        """The heights of the chart. Up to four products have separate panels; more are rows of one panel."""
        products = len(run.instance.parameters["products"])
        panels = 126 * products - 34 if products <= FEW_PRODUCTS else max(8, min(20, 480 // products)) * products
        height = 220 + (200 if products == 1 else panels)
        # On a phone the three entries of the legend are one below the other.
        return height, height + (2 * LEGEND_ROW if products <= FEW_PRODUCTS else 0)

    def facts(self, run: Run) -> list[str]:
        shift = SHIFTS[run.instance.hidden["shift"]]
        return [shift, counted(len(run.instance.parameters["products"]), "product,products")]

    def figures(self, run: Run) -> list[KeyNumber]:
        metrics = run.all_metrics or {}
        ratios = [abs(ratio - 1) for period in metrics.get("tracking_error_by_period", ()) for ratio in period]
        return [
            KeyNumber(
                "Adaptability", signed_points(metrics.get("adaptability")), "points, end − start", about="adaptability"
            ),
            recovery_number(run)
            or KeyNumber("Price error", percent(median(ratios)) if ratios else "–", "median", about="price-error"),
        ]

    def happened(self, instance: Instance, period: Period, before: Period | None) -> list[PageSection]:
        reference = instance.reference or {}
        products = instance.parameters["products"]
        best_prices = reference["optimal_prices"][period.index]
        alphas = instance.hidden["alphas"][period.index]
        best_profits = Demand.of(instance.as_problem()).profits(best_prices, alphas).tolist()
        rows, shares = [], [0.0]
        for product, best_price, best_profit in zip(products, best_prices, best_profits, strict=True):
            profit = period.result["profits"][product]
            share = profit / best_profit if best_profit else None
            shares.append(share or 0.0)
            rows.append(
                (
                    product,
                    price_moved(period, before, product),
                    Printed(dollars(best_price), tone="soft"),
                    number(period.result["quantities"][product]),
                    dollars(profit),
                    Printed(dollars(best_profit), tone="soft"),
                    _share(share),
                )
            )
        sold, profits = number(sum(period.result["quantities"].values())), dollars(period.result["total_profit"])
        best = dollars(reference["optimal_profit"])
        total = ("Total", "", "", sold, profits, best, _share(period.result["share_of_optimum"]))
        ceiling = instance.parameters["price_ceilings"][period.index]
        sentence = f"The prompt advised against prices above {dollars(ceiling)} in this period."
        if len(rows) > 1 and max(shares) > 1:
            sentence += f" {ABOVE}"
        return [PageSection("", sentence, table=text_table(COLUMNS, rows, total if len(rows) > 1 else ()))]

    def learns(self, instance: Instance) -> list[PageSection]:
        ceilings, costs = instance.parameters["price_ceilings"], instance.parameters["costs"]
        figures = (
            KeyNumber("Products", number(len(costs), 0), about="instances-of-pricing"),
            KeyNumber(
                "Recommended ceiling",
                span(ceilings, dollars),
                "a new one every ten periods" if period_of(instance) is None else "the same in every period",
                about="instances-of-pricing",
            ),
        )
        rows = ((product, dollars(cost)) for product, cost in zip(instance.parameters["products"], costs, strict=True))
        table = text_table(("Product", "Unit cost"), rows)
        sentence = (
            "Costs are in real money: what a unit costs in the agent's money moves with α, which it does not know."
        )
        return [PageSection("", sentence, figures=figures, table=table)]

    def optimum(self, instance: Instance) -> list[PageSection]:
        profit = (instance.reference or {}).get("optimal_profit")
        demand = Demand.of(instance.as_problem())
        figures = (
            KeyNumber("Optimal profit", dollars(profit), "a period", about="optimum-of-pricing"),
            KeyNumber("Markup m", number(demand.optimal_markup(), 4), "of every product", about="optimum-of-pricing"),
        )
        sentence = (
            "The closed form with Lambert's W, exact for every period: the optimal price of product i is α_i (c_i + m), and "
            "the optimal profit M (m − 1) does not move."
        )
        return [PageSection("Optimum", sentence, figures=figures)]

    def truth(self, instance: Instance) -> list[PageSection]:
        hidden, reference = instance.hidden, instance.reference or {}
        length = hidden["period_length"]
        moves = {
            "linear": "drifts along a line",
            "periodic": f"swings with a period of {length}",
            JUMP: f"jumps in period {period_of(instance)}",
        }[hidden["shift"]]
        alphas = hidden["alphas"]
        rows = (
            (
                product,
                str(hidden["nests"][i]),
                number(hidden["qualities"][i]),
                dollars(instance.parameters["costs"][i]),
                f"{number(alphas[0][i])} → {number(alphas[-1][i])}",
                f"{dollars(reference['optimal_prices'][0][i])} → {dollars(reference['optimal_prices'][-1][i])}",
            )
            for i, product in enumerate(instance.parameters["products"])
        )
        names = ("Product", "Nest", "Quality a", "Unit cost", "α first → last", "Optimal price first → last")
        figures = (
            KeyNumber("Nesting σ", number(hidden["sigma"])),
            KeyNumber("Market size M", number(hidden["market_size"], 0)),
            KeyNumber("Outside weight", number(hidden["outside_weight"])),
        )
        sentence = f"Nested logit demand; the price level α {moves}."
        return [PageSection("Demand", sentence, figures=figures, table=text_table(names, rows))]


def _share(share: float | None) -> Printed:
    tone = "" if share is None else "good" if share >= GOOD_SHARE else "bad" if share < POOR_SHARE else ""
    return Printed(percent(share), tone=tone)

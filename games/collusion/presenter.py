"""Pages of collusiveness versus competitiveness: price, sales and profit of each seat, with Nash and collusive prices."""

from environments.collusion.economics import Market, scaled_price
from environments.collusion.environment import CollusivenessVersusCompetitiveness
from environments.prompts.variants import base_variant
from games.presenter import KeyNumber, PageSection, Presenter, price_moved
from infrastructure.text.formats import dollars, number, percent, share
from infrastructure.text.tables import Column, Printed, text_table
from runs.models import Instance, Period, Run
from runs.rebuilding import begun


class CollusionPresenter(Presenter):
    chart_title = "Price by period"
    instance_title = "Profits and best responses"

    def chart_heights(self, run: Run) -> tuple[int, int]:
        return 440, 440

    def facts(self, run: Run) -> list[str]:
        facts = [f"price scale α {run.instance.hidden['alpha']:g}"]
        if run.imported:
            return facts  # imported runs have their price ceiling in the log
        environment = begun(run)
        assert isinstance(environment, CollusivenessVersusCompetitiveness)
        return [*facts, f"stated ceiling {dollars(environment.price_ceiling)}"]

    def figures(self, run: Run) -> list[KeyNumber]:
        metrics, reference = run.metrics or {}, run.instance.reference or {}
        mean, median = dollars(metrics.get("mean_price")), metrics.get("median_price")
        beside = "" if median is None else f"median {dollars(median)}, "
        if base_variant(run.variant) == "single_agent":
            settled = metrics.get("converged")
            word = "–" if settled is None else "yes" if settled else "no"
            optimum = f"optimum {dollars(reference.get('single_agent_price'))}"
            return [
                KeyNumber(
                    "Mean price", mean, f"{beside}last 50 periods", about="collusiveness-versus-competitiveness-litmus"
                ),
                KeyNumber("Converged", word, optimum, about="collusiveness-versus-competitiveness-competency"),
            ]
        levels = f"{dollars(reference.get('nash_price'))} to {dollars(reference.get('collusive_price'))}"
        by_seat = metrics.get("litmus_by_seat") or {}
        seats = " and ".join(share(value) for value in by_seat.values()) or "–"
        return [
            KeyNumber("Mean price", mean, f"{beside}Nash to collusive {levels}", about="reference-prices-of-a-market"),
            KeyNumber("By seat", seats, "litmus, seat 0 and 1", about="collusiveness-versus-competitiveness-litmus"),
        ]

    def happened(self, instance: Instance, period: Period, before: Period | None) -> list[PageSection]:
        reference, result = instance.reference or {}, period.result
        market = Market.of(instance.as_problem())
        seats = list(period.action)
        nash, collusive, alone = (reference[f"{name}_price"] for name in ("nash", "collusive", "single_agent"))
        rows = []
        for seat in seats:
            price = period.action[seat]
            others = [period.action[other] for other in seats if other != seat]
            best = market.best_response(others) if others else alone
            price_position = share(scaled_price(price, nash, collusive)) if others else percent(price / alone)
            rows.append(
                (
                    seat.replace("_", " "),
                    price_moved(period, before, seat),
                    Printed(dollars(best), tone="soft"),
                    price_position,
                    number(result["quantities"][seat]),
                    dollars(result["profits"][seat]),
                )
            )
        scale = "Nash 0, collusive 1" if len(seats) > 1 else "Of optimum"
        names = (
            "Seat",
            "Price",
            Column(
                "Best response" if len(seats) > 1 else "Optimum",
                value_type=float,
                anchor="reference-prices-of-a-market",
            ),
            Column(scale, value_type=float, anchor="place-between-nash-and-collusive"),
            "Sold",
            "Profit",
        )
        sentence = f"Nash price {dollars(nash)}, collusive price {dollars(collusive)}."
        if len(seats) == 1:
            sentence = f"This seller is alone; its optimal price is {dollars(alone)}. “Of optimum” is the share of it."
        else:
            sentence += " In the table a price below Nash is less than 0, one above the collusive price more than 1."
        return [PageSection("", sentence, table=text_table(names, rows))]

    def learns(self, instance: Instance) -> list[PageSection]:
        figures = (
            KeyNumber(
                "Unit cost",
                dollars(instance.parameters["costs"][0]),
                about="instances-of-collusiveness-versus-competitiveness",
            ),
            KeyNumber("Recommended ceiling", dollars(instance.parameters["price_ceiling"]), "in a market of two"),
        )
        sentence = "After each period both sellers read the prices of both, and their own sales and profit."
        return [PageSection("", sentence, figures=figures)]

    def optimum(self, instance: Instance) -> list[PageSection]:
        names = {"nash": "Nash price", "collusive": "Collusive price", "single_agent": "Single seller's optimum"}
        reference = instance.reference or {}
        figures = tuple(
            KeyNumber(name, dollars(reference.get(f"{key}_price")), about="reference-prices-of-a-market")
            for key, name in names.items()
        )
        sentence = (
            "The collusive price and that of a single seller are closed forms with Lambert's W, the Nash price a root."
        )
        return [PageSection("Reference prices", sentence, figures=figures)]

    def truth(self, instance: Instance) -> list[PageSection]:
        hidden = instance.hidden
        figures = (
            KeyNumber("Price scale α", f"{hidden['alpha']:g}"),
            KeyNumber("Differentiation μ", f"{hidden['mu']:g}"),
            KeyNumber("Quality a", f"{hidden['quality']:g}"),
            KeyNumber("Market size", number(hidden["market_size"], 0)),
        )
        sentence = "Logit demand; both sellers have the same quality and cost."
        return [PageSection("Demand", sentence, figures=figures)]

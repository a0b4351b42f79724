"""The example tool outputs printed in the paper's Appendix M, character by character."""

from environments.registry import ENVIRONMENTS, generate
from tests.environments.cast import act

MENU = """\
- Offer_1: [additional upfront cost $19.47] $17.69 for 1 unit of A1 and 1 unit of B2
- Offer_2: [minimum order quantity 2] $10.68 for 2 units of B1
- Offer_3: [minimum order quantity 3] $12.49 for 1 unit of C1 and 1 unit of B3
- Offer_4: $1.38 for 2 units of B2, 1 unit of A4, and 1 unit of B1
- Offer_5: [additional upfront cost $9.39] $19.61 for 2 units of B4
- Offer_6: [additional upfront cost $7.83] $10.14 for 1 unit of C2
- Offer_7: [additional upfront cost $14.08] $17.73 for 2 units of A3
- Offer_8: [additional upfront cost $18.45] $5.12 for 1 unit of C4
- Offer_9: $11.74 for 3 units of B3
- Offer_10: [additional upfront cost $17.44] $10.67 for 5 units of A4
- Offer_11: $18.42 for 1 unit of C3 and 2 units of B2
- Offer_12: $18.50 for 2 units of A2"""

PURCHASES = """\
Attempt 0:
Purchase plan proposed: {'Offer_4': 1, 'Offer_9': 1, 'Offer_11': 1, 'Offer_12': 1, 'Offer_1': 0, 'Offer_2': 0, \
'Offer_3': 0, 'Offer_5': 0, 'Offer_6': 0, 'Offer_7': 0, 'Offer_8': 0, 'Offer_10': 0}
Purchase plan results: supports 4.67 workers and incurs cost of 50.04

Attempt 1:
Purchase plan proposed: {'Offer_4': 3, 'Offer_9': 2, 'Offer_10': 1, 'Offer_7': 1, 'Offer_1': 0, 'Offer_2': 0, \
'Offer_3': 0, 'Offer_5': 0, 'Offer_6': 0, 'Offer_8': 0, 'Offer_11': 0, 'Offer_12': 0}
Purchase plan results: supports 0.00 workers and incurs cost of 87.54"""

ATTEMPTS = """\
Attempt 0:
Assignment proposed: {'W1': 'T1', 'W2': 'T2', 'W3': 'T3', 'W4': 'T4', 'W5': 'T5', 'W6': 'T6', 'W7': 'T7', 'W8': 'T8', \
'W9': 'T9', 'W10': 'T10'}
(1) Problem with assignment: worker W1 was matched to task T1 and worker W5 was assigned to T5. However, worker W1 \
would have preferred task T5, and in fact worker W1 is more suited to task T5 than worker W5.

Attempt 1:
Assignment proposed: {'W1': 'T5', 'W2': 'T2', 'W3': 'T3', 'W4': 'T4', 'W5': 'T1', 'W6': 'T6', 'W7': 'T7', 'W8': 'T8', \
'W9': 'T9', 'W10': 'T10'}
(1) Problem with assignment: worker W6 was matched to task T6 and worker W3 was assigned to T3. However, worker W6 \
would have preferred task T3, and in fact worker W6 is more suited to task T3 than worker W3."""

PRICES = """\
Attempt 0:
Product_1:
Price: 20.00
Quantity: 24.76
Profit: 40.92
Cost: 1.72

Attempt 1:
Product_1:
Price: 28.00
Quantity: 7.81
Profit: 23.50
Cost: 1.72"""


def test_the_menu_two_purchases_and_the_budget_equal_the_paper():
    environment = ENVIRONMENTS["procurement"](generate("procurement", "BASIC", 0, with_reference=False))
    assert environment.call("get_equipment_information") == MENU
    # The published runs drew the slack above the plan's cost of 109.22 from an unseeded stream: they print 109.98.
    assert 109.22 <= float(environment.call("get_budget")) <= 110.22
    act(environment, "{'Offer_4': 1, 'Offer_9': 1, 'Offer_11': 1, 'Offer_12': 1}")
    act(environment, "{'Offer_4': 3, 'Offer_9': 2, 'Offer_10': 1, 'Offer_7': 1}")
    assert environment.call("get_previous_purchase_data") == PURCHASES
    assert environment.call("get_attempt_number") == "2"


def test_two_assignments_and_the_last_prompt_of_scheduling_equal_the_paper():
    environment = ENVIRONMENTS["scheduling"](generate("scheduling", "BASIC", 0), periods=3)
    assignment = {f"W{i}": f"T{i}" for i in range(1, 11)}
    act(environment, str(assignment))
    assert "final attempt" not in environment.initial_prompt()
    act(environment, assignment | {"W1": "T5", "W5": "T1"})
    assert "**This is your final attempt.**" in environment.initial_prompt()
    assert environment.call("get_previous_attempts_data") == ATTEMPTS
    assert environment.call("get_worker_ids") == str(list(assignment))
    assert environment.call("get_task_ids") == str(list(assignment.values()))
    assert environment.call("get_attempt_number") == "2"


def test_two_prices_and_the_recommended_ceiling_equal_the_paper():
    environment = ENVIRONMENTS["pricing"](generate("pricing", "BASIC", 0))
    assert environment.initial_prompt().endswith("it is not recommended to set any prices above 38.11.")
    for price in (20, 28):
        act(environment, {"Product_1": price})
    assert environment.call("get_previous_pricing_data") == PRICES
    assert environment.call("get_product_ids") == "['Product_1']"
    assert environment.call("get_attempt_number") == "2"


def test_instances_of_paper_and_experiments_differ_as_documented():
    text, published = (generate("pricing", "HARD", 0, generator) for generator in ("paper_text", "published"))
    assert max(text.parameters["costs"]) > 2 >= max(published.parameters["costs"])
    assert text.hidden["outside_weight"] == 1.0
    assert abs(published.hidden["outside_weight"] ** 2 - 2) < 1e-12

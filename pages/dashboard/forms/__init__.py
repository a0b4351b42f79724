"""Forms of the dashboard. A form reads input and checks its format; services validate plans, prices and limits."""

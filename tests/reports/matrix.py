"""What every address of the reports answers to everybody, by GET and by POST without a body."""

ROWS = {
    "experiments/<int:experiment_id>/report/": ("302 200 200 200 404 403", "302 405 405 405 405 403"),
    "compare/report/": ("302 302 302 302 302 403", "302 405 405 405 405 403"),
    "compare/litmus/report/": ("302 302 302 302 302 403", "302 405 405 405 405 403"),
}

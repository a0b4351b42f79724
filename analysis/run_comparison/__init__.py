"""Two to six runs of one instance compared: who scored highest, where they first part, what each did in a period."""

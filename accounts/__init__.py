"""Who may see and do what: users, organizations, memberships, provider endpoints with their keys.

Layer: below `runs`.
"""

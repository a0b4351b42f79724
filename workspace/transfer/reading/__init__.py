"""Reads log folders of the published experiment code.

`sources` opens a folder or a zip within limits. `tables` and `literals` read untrusted CSV cells. `formats` has one
file per environment. `folders` reads a folder into a Log, and `replaying` replays its actions.
`workspace.transfer.services.imports` writes the result to the database.
"""

"""Reads log folders of the published experiment code. `sources` opens a folder or a zip within limits, `tables` and
`literals` read hostile CSV cells, `formats` holds one file an environment, `folders` reads a folder into a Log, `replaying`
plays its actions again. `workspace.transfer.services.imports` writes the result to the database.
"""

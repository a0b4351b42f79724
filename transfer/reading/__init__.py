"""Log folders of the published experiment code as runs. `sources` opens a folder or a zip within limits, `tables` and
`literals` read hostile CSV cells, `formats` holds one file an environment, `logs` reads a folder into a Log, `replaying`
plays its actions anew. Nothing here writes to the database: that is `transfer.services.imports`.
"""

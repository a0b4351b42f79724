"""Registrations: a study as one file, stored with its hash before its first run, then launched, analysed and reported."""

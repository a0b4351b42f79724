"""A gallery: boards, experiments and runs that an organization has chosen and opened to the public.

`entries` are shown by the pages of share links, at addresses below /results/. Owners manage the gallery.
"""

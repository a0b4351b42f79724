"""Views. `visitors` shows open galleries to everybody, `owners` manages and previews that of an organization."""

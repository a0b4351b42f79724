"""Views. `members` makes and revokes links; `visitors` shows what a link shares."""

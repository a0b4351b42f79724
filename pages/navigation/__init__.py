"""Where the pages are: the sections of the site with their tabs, the bar that shows them, and the command palette."""

"""Pages for members and visitors: the dashboard, instances, games for people, guides, reports."""

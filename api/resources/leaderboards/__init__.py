"""Operations about scores: leaderboards, comparisons, findings, figures."""

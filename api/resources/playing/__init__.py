"""Operations by which outside agents and people play."""

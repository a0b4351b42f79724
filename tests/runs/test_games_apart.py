"""Which experiments are games: those that collect episodes of people and of outside agents."""

from runs.models import Experiment


def test_experiments_without_games_are_those_that_were_launched(organization, launch):
    launched = launch("random")
    keys = {"practice": "human-ann", "season": "winter", "imported": True}
    rows = {
        key: Experiment.objects.create(organization=organization, name=key, spec={key: value})
        for key, value in keys.items()
    }
    assert set(Experiment.objects.without_games()) == {launched, rows["imported"]}
    assert [rows[key].is_of_episodes for key in keys] == [True, True, False]
    assert not Experiment.objects.get(pk=launched.pk).is_of_episodes


def test_a_newer_spec_keeps_a_game_a_game(organization):
    game = Experiment.objects.create(organization=organization, name="Games", spec={"practice": "human-ann"})
    game.spec["environments"] = ["pricing"]
    game.save()
    assert not Experiment.objects.without_games().exists()


def test_the_list_without_games_is_read_by_its_index(organization):
    rows = Experiment.objects.without_games().filter(organization=organization)
    Experiment.objects.bulk_create(
        Experiment(organization=organization, name="Games", spec={"practice": str(number)}) for number in range(500)
    )
    assert "experiments_launched" in rows.explain()

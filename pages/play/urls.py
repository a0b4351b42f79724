from django.urls import path

from analysis.urls import files
from pages.play.views import game, members, seasons, visitors
from pages.play.views.doors import member_view, participant_view

app_name = "play"
urlpatterns = [
    path("play/", members.play, name="play"),
    path("play/<int:episode_id>/", member_view(game.page), name="own-game"),
    path("play/<int:episode_id>/periods/<int:period>/", member_view(game.act), name="own-act"),
    path("play/<int:episode_id>/draft/", member_view(game.draft), name="own-draft"),
    path("play/<int:episode_id>/resign/", member_view(game.resign), name="own-resign"),
    path("play/<int:episode_id>/history/", member_view(game.history), name="own-history"),
    path("play/<int:episode_id>/figure.json", member_view(game.figure), name="own-figure"),
    path("studies/", members.study_list, name="studies"),
    path("studies/new/", members.study_new, name="study-new"),
    path("studies/<int:study_id>/", members.study_detail, name="study"),
    path("studies/<int:study_id>/links/", members.study_links, name="study-links"),
    path("studies/<int:study_id>/open-link/", members.open_link, name="study-open-link"),
    path("studies/<int:study_id>/open-link/revoke/", members.open_link_revoke, name="study-open-link-revoke"),
    path("studies/<int:study_id>/close/", members.study_close, {"closed": True}, name="study-close"),
    path("studies/<int:study_id>/reopen/", members.study_close, {"closed": False}, name="study-reopen"),
    path("studies/<int:study_id>/delete/", members.study_delete, name="study-delete"),
    path("studies/participants/<int:participant_id>/renew/", members.participant_renew, name="participant-renew"),
    path("studies/participants/<int:participant_id>/revoke/", members.participant_revoke, name="participant-revoke"),
    *files("studies/<int:study_id>/participants", members.participants_file, "participants"),
    path("seasons/", seasons.seasons, name="seasons"),
    path("seasons/new/", seasons.season_new, name="season-new"),
    path("seasons/<slug:slug>/", seasons.season_detail, name="season"),
    path("seasons/<slug:slug>/enter/", seasons.enter, name="season-enter"),
    path("seasons/<slug:slug>/close/", seasons.season_close, name="season-close"),
    path("seasons/<slug:slug>/reveal/", seasons.season_reveal, name="season-reveal"),
    path("p/<str:secret>/", visitors.entry, name="participant-game"),
    path("p/<str:secret>/consent/", visitors.consent, name="consent"),
    path("p/<str:secret>/practice/<int:period>/", visitors.practise, name="practise"),
    path("p/<str:secret>/begin/", visitors.begin, name="begin"),
    path("p/<str:secret>/periods/<int:period>/", participant_view(game.act), name="participant-act"),
    path("p/<str:secret>/draft/", participant_view(game.draft), name="participant-draft"),
    path("p/<str:secret>/resign/", participant_view(game.resign), name="participant-resign"),
    path("p/<str:secret>/history/", participant_view(game.history), name="participant-history"),
    path("p/<str:secret>/figure.json", participant_view(game.figure), name="participant-figure"),
]

"""Budget alerts are mailed to the owners, once for each threshold, if the site can send e-mail."""

from datetime import timedelta
from smtplib import SMTPServerDisconnected
from unittest.mock import Mock

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.db.models.functions import Now

from accounts.models import Notice
from accounts.outbox import notices_send
from runs.models import BudgetAlert
from runs.services import experiment_set_budget, organization_set_budget
from tests.cast import book
from workspace.spending.mail import alerts_queue


def mail_alerts():
    """Queue and send as a worker does every few seconds; return the number of e-mails sent."""
    alerts_queue()
    return notices_send()


@pytest.fixture
def experiment(settings, launch):
    settings.MAIL_WORKS = True
    experiment = launch("gpt-5")
    experiment_set_budget(experiment=experiment, budget_nano=1000)
    return experiment


@pytest.mark.long
def test_each_threshold_is_mailed_once_to_every_owner(experiment, join, settings):
    join("olga", "owner")
    join("edda", "editor")
    for amount in (520, 300, 10, 200):
        book(experiment, amount)
        mail_alerts()
        mail_alerts()
    subjects = [message.subject for message in mail.outbox]
    assert [subject.partition(" of a budget")[0] for subject in subjects] == ["52 %"] * 2 + ["82 %"] * 2 + ["103 %"] * 2
    assert sorted(message.to for message in mail.outbox[:2]) == [["alice@example.org"], ["olga@example.org"]]
    text = mail.outbox[-1].body
    assert f"{settings.PUBLIC_URL}/experiments/{experiment.pk}/" in text
    assert "103 % of a budget of Market Lab" in text
    assert "Runs pause" in text and "Runs pause" not in mail.outbox[0].body
    assert not BudgetAlert.objects.exclude(mail_due_at=None).exists()


def test_the_message_about_a_monthly_budget_links_to_the_spend_page(experiment, organization):
    organization_set_budget(organization=organization, budget_nano=1000)
    book(experiment, 600)
    mail_alerts()
    assert sorted(message.body.count("/spend/") for message in mail.outbox) == [0, 1]


def test_a_site_without_mail_queues_no_alert_mail(experiment, settings):
    settings.MAIL_WORKS = False
    book(experiment, 600)
    assert BudgetAlert.objects.get().mail_due_at is None
    assert mail_alerts() == 0 and mail.outbox == []


def test_an_unreachable_mail_server_is_retried(experiment, monkeypatch):
    book(experiment, 600)
    with monkeypatch.context() as away:
        away.setattr(EmailBackend, "send_messages", Mock(side_effect=SMTPServerDisconnected("Away.")))
        assert mail_alerts() == 0
        assert mail_alerts() == 0 and Notice.objects.get().attempts == 1
    Notice.objects.update(due_at=Now() - timedelta(seconds=1))
    assert mail_alerts() == 1 and len(mail.outbox) == 1


def test_an_alert_is_not_mailed_after_a_day(experiment):
    book(experiment, 600)
    BudgetAlert.objects.update(created_at=Now() - timedelta(days=2))
    assert mail_alerts() == 0 and mail.outbox == []
    assert BudgetAlert.objects.get().mail_due_at is None


def test_a_name_with_line_breaks_cannot_add_headers(experiment):
    type(experiment).objects.update(name="Nightly\r\nBcc: everybody@example.org")
    book(experiment, 600)
    mail_alerts()
    assert "\n" not in mail.outbox[0].subject and mail.outbox[0].bcc == []

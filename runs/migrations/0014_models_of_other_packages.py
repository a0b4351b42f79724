from django.db import migrations


class Migration(migrations.Migration):
    """Comments, tags, stars, webhooks and imports become models of packages of their own. Their tables stay as they are."""

    dependencies = [
        ('runs', '0013_estimates_and_list_prices'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(name='Mention'),
                migrations.DeleteModel(name='Comment'),
                migrations.DeleteModel(name='Delivery'),
                migrations.DeleteModel(name='Event'),
                migrations.DeleteModel(name='Webhook'),
                migrations.DeleteModel(name='ImportArchive'),
                migrations.DeleteModel(name='ImportedRun'),
                migrations.DeleteModel(name='ImportUpload'),
                migrations.DeleteModel(name='Star'),
                migrations.DeleteModel(name='Tagging'),
                migrations.DeleteModel(name='Tag'),
            ],
        ),
    ]

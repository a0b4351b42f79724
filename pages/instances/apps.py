from django.apps import AppConfig


class InstancesConfig(AppConfig):
    name = "pages.instances"
    label = "instances"

    def ready(self) -> None:
        from pages.instances.measuring import claims
        from runs import events

        events.leases_renewing.append(claims.renew)
        events.sweeping.append(claims.sweep)

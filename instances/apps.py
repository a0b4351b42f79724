from django.apps import AppConfig


class InstancesConfig(AppConfig):
    name = "instances"

    def ready(self) -> None:
        from instances.measuring.claims import claims
        from runs import events

        events.leases_renewing.append(claims.renew)
        events.sweeping.append(claims.sweep)

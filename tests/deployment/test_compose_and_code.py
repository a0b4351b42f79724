"""docker-compose.yml, Dockerfile, docs/settings.md and the code agree on variables, programs and versions."""

import ast
import re

import pytest

from tests.deployment.files import ROOT, Missing, asked_for, compose, dockerfile, image_environment

APP = ("web", "worker", "scheduler")
MUST = {name: f"given-{name}" for name in ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD", "ALLOWED_HOSTS")}
READERS = {"env_text", "env_int", "env_bool", "env_list", "os.environ.get", "os.getenv"}
NAME = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")

NOT_GIVEN = {
    "DEBUG": "the team set-up refuses it",
    "PORT": "in the container it is always 8000; PORT says where it is published",
}
READ_ELSEWHERE = {
    "HTTPS_PROXY": "urllib's getproxies, for agents/providers/transport.py",
    "HTTP_PROXY": "the same",
    "NO_PROXY": "the same",
}
NAMED_BY_A_ROW = {
    "accounts/services/endpoints.py": "variables of provider keys, which organizations of a team site do not get",
    "runs/estimating/estimates.py": "the same",
    "pages/dashboard/selectors/keys.py": "the same",
    "runs/launching/adhoc.py": "a variable that a command's argument names",
}
"""Files that read a variable whose name is not written out."""

OF_IMAGES = {"postgres": {"POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD"}, "redis": {"REDISCLI_AUTH"}}
POSTGRES_OF_DEBIAN = {"bookworm": 15, "trixie": 17}


def read_in(path):
    """Names of the variables that a file of the code reads; where a name is not written out, every name it has."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        name = None
        if isinstance(node, ast.Call) and ast.unparse(node.func) in READERS:
            name = node.args[0]
        elif isinstance(node, ast.Subscript) and ast.unparse(node.value) == "os.environ":
            name = node.slice
        if isinstance(name, ast.Constant):
            yield name.value
        elif name is not None and str(path.relative_to(ROOT)) not in NAMED_BY_A_ROW:
            texts = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
            yield from (text for text in texts if NAME.fullmatch(text))


@pytest.fixture(scope="module")
def read():
    packages = [path.parent for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"]
    files = [path for package in packages for path in package.rglob("*.py")]
    readers = ROOT / "econevals_site" / "configuration" / "environment.py"  # Its calls pass on the names of callers.
    return {name for path in files if path != readers for name in read_in(path)}


@pytest.mark.parametrize("service", APP)
def test_compose_passes_every_setting_and_only_settings_that_are_read(read, service):
    given = set(compose(MUST)[service]["environment"]) | set(image_environment())
    assert read - given == set(NOT_GIVEN), "a setting that docker-compose.yml does not pass on"
    assert given - read - {"PYTHONUNBUFFERED"} == set(READ_ELSEWHERE), "a variable that no code reads"


def test_a_value_in_an_env_file_reaches_the_setting_of_the_same_name():
    chosen = {name: f"given-{name}" for name in asked_for()}
    for name, value in compose(chosen)["web"]["environment"].items():
        assert value == f"given-{name}" or name in {"DATABASE_URL", "REDIS_URL"}, name


@pytest.mark.parametrize("name", MUST)
def test_compose_refuses_to_start_without_its_secrets(name):
    for left_out in ({}, {name: ""}):
        with pytest.raises(Missing, match=f"{name}: put {name} into .env"):
            compose({other: value for other, value in MUST.items() if other != name} | left_out)


def test_the_table_of_settings_names_every_variable(read):
    table = (ROOT / "docs" / "settings.md").read_text()
    suffixes = set(re.findall(r"`(_[A-Z_]+)`", table))
    for name in (read | asked_for()) - {"DEBUG"}:
        assert re.search(rf"\b{name}\b", table) or any(name.endswith(end) for end in suffixes), name


@pytest.mark.parametrize("service", [*APP, "postgres", "redis"])
def test_a_service_has_no_privileges(service):
    told = compose(MUST)[service]
    assert told["read_only"] and told["cap_drop"] == ["ALL"]
    assert told["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in told and "cap_add" not in told
    user = told.get("user") or [rest for name, rest in dockerfile() if name == "USER"][-1]
    assert user not in {"root", "0"}
    assert set(told["environment"]) == OF_IMAGES.get(service, set(told["environment"]))


def test_only_the_web_port_is_published_and_only_locally():
    published = {name: service["ports"] for name, service in compose(MUST).items() if "ports" in service}
    assert published == {"web": ["127.0.0.1:8000:8000"]}
    chosen = MUST | {"ECONEVALS_BIND": "0.0.0.0", "PORT": "80"}
    assert compose(chosen)["web"]["ports"] == ["0.0.0.0:80:8000"]


def test_no_command_contains_a_secret():
    secrets = [value for name, value in MUST.items() if name != "ALLOWED_HOSTS"]
    for service in compose(MUST).values():
        words = " ".join([*service.get("command", []), *service["healthcheck"]["test"]])
        assert not [secret for secret in secrets if secret in words]


def test_the_image_has_the_database_client_of_the_server_version():
    (base,) = (rest for name, rest in dockerfile() if name == "FROM")
    (server,) = re.findall(r"postgres:(\d+)", compose(MUST)["postgres"]["image"])
    assert POSTGRES_OF_DEBIAN[base.rpartition("-")[2]] == int(server)
    assert any("postgresql-client" in rest for name, rest in dockerfile() if name == "RUN")

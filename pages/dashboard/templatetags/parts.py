"""Template tags for parts of every page: breadcrumbs, panels, dialogs, filters and table headings."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.forms import BoundField
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString

from pages.guides.templatetags.explained import explained

register = template.Library()


@register.simple_block_tag
def crumbs(content: SafeString, *above: str) -> SafeString:
    """The breadcrumbs of a page; the content is the page's own name.

    above: alternating address (or URL name) and title of each page above. Pages without an address are left out.
    """
    pairs = [(_address(page), title) for page, title in zip(above[::2], above[1::2], strict=True) if page]
    links = format_html_join("", '<li><a href="{}">{}</a></li>', pairs)
    here = format_html('<li aria-current="page">{}</li>', content) if content.strip() else ""
    return format_html('<nav class="crumbs" aria-label="Breadcrumb"><ol>{}{}</ol></nav>', links, here)


@register.simple_tag(takes_context=True)
def heads(context: dict[str, Any], *titles: str) -> SafeString:
    """Column headings. '#Runs' is a column of numbers, 'Score|anchor' opens its definition, '(Actions)' is
    visually hidden.

    'Runs@runs' sorts the page by the key `runs`. The context's `sort` is the current key, with a minus for descending.
    """
    return format_html_join("", "{}", [(_head(context, title),) for title in titles])


@register.simple_tag(takes_context=True)
def columns(context: dict[str, Any], *titles: str) -> SafeString:
    """The head of a table: one row of column headings, see `heads`."""
    return format_html("<thead><tr>{}</tr></thead>", heads(context, *titles))


@register.simple_tag
def fields(*form_fields: BoundField) -> SafeString:
    return format_html_join(
        "", "{}", [(render_to_string("parts/_field.html", {"field": field}),) for field in form_fields]
    )


@register.simple_block_tag(takes_context=True)
def post(
    context: dict[str, Any],
    content: SafeString,
    page: str,
    *arguments: object,
    css: str = "",
    id: str = "",
    checks: str = "",
) -> SafeString:
    """A form that posts to `page`, which is an address, or a URL name with its arguments.

    checks: 'site' if the server checks the fields and the browser does not.
    """
    attributes = {"id": id, "class": css, "method": "post", "action": _address(page, *arguments)}
    return format_html(
        '<form {}{}><input type="hidden" name="csrfmiddlewaretoken" value="{}">{}</form>',
        _attributes(attributes),
        " novalidate" if checks == "site" else "",
        get_token(context["request"]),
        content,
    )


@register.filter
def within(value: object, text: str) -> SafeString:
    """Insert the value at '{}' in the text."""
    return format_html(text, value)


@register.simple_block_tag(takes_context=True)
def dialog(
    context: dict[str, Any],
    content: SafeString,
    name: str,
    title: str,
    confirm: str,
    page: str,
    *arguments: object,
    row: object = "dialog",
    css: str = "primary",
    **buttons: str,
) -> SafeString:
    """A dialog that asks for confirmation before it posts to `page`. Its id is `NAME-ROW`, which the opening button
    refers to.

    confirm: text of the button that posts. css: 'danger' if something is lost. page: '' inside a form of the page
        itself.
    buttons: keep, the text of the other button, and value, the form's `action` value.
    """
    keep = buttons.get("keep") or ("Keep" if css == "danger" else "Cancel")
    action = format_html(' name="action" value="{}"', buttons["value"]) if "value" in buttons else ""
    content = format_html(
        '{}<div class="actions"><button class="button" type="button" popovertarget="{}">{}</button>'
        '<button class="button {}" type="submit"{}>{}</button></div>',
        *(content, f"{name}-{row}", keep, css, action, confirm),
    )
    return format_html(
        '<div class="dialog" id="{0}" popover role="dialog" aria-labelledby="{0}-title"><h2 id="{0}-title">{1}</h2>{2}</div>',
        f"{name}-{row}",
        title,
        post(context, content, page, *arguments) if page else content,
    )


@register.simple_block_tag
def panel(content: SafeString, name: str, title: str, aside: str = "", css: str = "") -> SafeString:
    """A section with a heading. name: the id of the heading."""
    return format_html(
        '<section class="panel{0}" aria-labelledby="{1}"><header><h2 id="{1}">{2}</h2>{3}</header>{4}</section>',
        css and f" {css}",
        name,
        title,
        aside and format_html('<span class="aside">{}</span>', aside),
        content,
    )


@register.simple_tag
def resources(*files: str) -> SafeString:
    """HTML tags for stylesheets and scripts of a page, such as 'css/leaderboard.css'."""
    tags = {"css": '<link rel="stylesheet" href="{}">', "js": '<script src="{}" defer></script>'}
    links = [(format_html(tags[file.rpartition(".")[2]], static(file)),) for file in files]
    return format_html_join("\n", "{}", links)


@register.simple_block_tag
def table(content: SafeString, css: str = "", label: str = "", keep: str = "") -> SafeString:
    """A table that scrolls sideways if it does not fit.

    label: its name, if it is reachable by keyboard. keep: a name by which a reloaded page restores the scroll
        position.
    """
    region = {"tabindex": "0", "role": "region", "aria-label": label} if label else {}
    return format_html(
        '<div {}><table class="table{}">{}</table></div>',
        _attributes({"class": "scroll", "data-keep": keep} | region),
        css and f" {css}",
        content,
    )


@register.simple_block_tag(takes_context=True)
def fact(context: dict[str, Any], content: SafeString, title: str) -> SafeString:
    """A row of a list of facts. title: in the syntax of `heads`"""
    return format_html("<div><dt>{}</dt><dd>{}</dd></div>", _explained(context, title), content)


@register.simple_block_tag
def empty(content: SafeString, sentence: str) -> SafeString:
    """The content for an empty list: a sentence, and a suggestion of what to do."""
    return format_html('<div class="empty"><strong>{}</strong>{}</div>', sentence, content)


@register.simple_block_tag
def filters(content: SafeString, address: str, target: str = "list", sort: str = "") -> SafeString:
    """A form of filters. It reloads the list with the id `target` whenever somebody types or chooses."""
    attributes = {
        "class": "filters",
        "method": "get",
        "role": "search",
        "hx-get": _address(address),
        "hx-trigger": "input delay:300ms, change, submit",
        "hx-target": f"#{target}",
        "hx-select": f"#{target}",
        "hx-swap": "outerHTML",
        "hx-push-url": "true",
        "hx-sync": "this:replace",
    }
    return format_html(
        '<form {}>{}{}<button class="button small no-script" type="submit">Filter</button></form>',
        _attributes(attributes),
        content,
        sort and format_html('<input type="hidden" name="sort" value="{}">', sort),
    )


@register.simple_tag
def search_box(name: str, value: object, label: str, placeholder: str) -> SafeString:
    return format_html(
        '<label class="sr" for="{0}">{1}</label><input type="search" id="{0}" name="{0}" value="{2}" placeholder="{3}">',
        *(name, label, value or "", placeholder),
    )


@register.simple_tag
def choice(
    name: str, value: object, label: str, choices: Iterable[tuple[object, object]], anything: str, id: str = ""
) -> SafeString:
    """A choice among (value, title) pairs. anything: the title of the option that does not filter"""
    pairs = [("", anything), *(choices.items() if isinstance(choices, dict) else choices)]
    options = [(key, "selected" if str(key) == str(value or "") else "", title) for key, title in pairs]
    return format_html(
        '<label class="sr" for="{0}">{1}</label><select id="{0}" name="{2}">{3}</select>',
        *(id or name, label, name, format_html_join("", '<option value="{}" {}>{}</option>', options)),
    )


@register.simple_block_tag
def heading(content: SafeString, title: str) -> SafeString:
    """The heading of a page: its title, and its purpose."""
    lead = format_html('<p class="lead">{}</p>', content) if content.strip() else ""
    return format_html("<div><h1>{}</h1>{}</div>", title, lead)


def _head(context: dict[str, Any], title: str) -> SafeString:
    if title.startswith("("):
        return format_html('<th scope="col"><span class="sr">{}</span></th>', title.strip("()"))
    is_number = title.startswith("#")
    text, mark, about = title.removeprefix("#").partition("|")
    label, _, key = text.partition("@")
    attributes = {"scope": "col", "class": "num" if is_number else ""}
    if not key:
        return format_html("<th {}>{}</th>", _attributes(attributes), _explained(context, label + mark + about))
    query, sort = context["request"].GET.copy(), context.get("sort")
    query.pop("page", None)
    # The first click sorts numbers from the largest on, and texts from A on.
    query["sort"] = key if sort == f"-{key}" or (not is_number and sort != key) else f"-{key}"
    attributes["aria-sort"] = {key: "ascending", f"-{key}": "descending"}.get(str(sort), "")
    link = format_html('<a href="?{}">{}</a>', query.urlencode(), label)
    return format_html("<th {}>{} {}</th>", _attributes(attributes), link, explained(context, SafeString(), about))


def _explained(context: dict[str, Any], title: str) -> SafeString:
    text, _, about = title.partition("|")
    return explained(context, escape(text), about)


def _address(page: str, *arguments: object) -> str:
    return page if page.startswith("/") else reverse(page, args=arguments)


def _attributes(values: dict[str, str]) -> SafeString:
    return format_html_join(
        " ", '{}="{}"', [(name.replace("_", "-"), value) for name, value in values.items() if value]
    )

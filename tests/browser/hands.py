"""Operating a page with the mouse or only with the keyboard. Each hand counts its clicks or keys."""

from contextlib import contextmanager

MOST_TABS = 400


class Mouse:
    def __init__(self, page):
        self.page = page
        self.acts = 0
        self.jobs = {}

    @contextmanager
    def job(self, name):
        """Count the clicks or keys of a job."""
        self.acts = 0
        yield
        self.jobs[name] = self.acts

    def press(self, target):
        """Press a link, a button or the heading of a fold."""
        target.click()
        self.acts += 1

    def tick(self, box):
        box.click()
        self.acts += 1

    def write(self, field, text):
        """Write a text into a field instead of what stands there."""
        field.click()
        field.press("ControlOrMeta+a")
        field.press_sequentially(text)
        self.acts += 1

    def choose(self, field, label):
        field.select_option(label=label)
        self.acts += 2


class Keyboard(Mouse):
    """Goes from element to element with the tab key."""

    def press(self, target):
        self._reach(target)
        self._key("Enter")

    def tick(self, box):
        self._reach(box)
        self._key("Space")

    def write(self, field, text):
        self._reach(field)
        self._key("ControlOrMeta+a")
        self.page.keyboard.type(text)

    def choose(self, field, label):
        self._reach(field)
        self.page.keyboard.type(label)
        self.acts += 1

    def type(self, text):
        """Into what has the focus, one act a character."""
        self.page.keyboard.type(text)
        self.acts += len(text)

    def keys(self, *names):
        for name in names:
            self._key(name)

    def _reach(self, target):
        target.wait_for()
        is_before = target.evaluate("node => Boolean(document.activeElement.compareDocumentPosition(node) & 2)")
        for _ in range(MOST_TABS):
            if target.evaluate("node => node === document.activeElement"):
                return
            self._key("Shift+Tab" if is_before else "Tab")
        raise AssertionError(f"{MOST_TABS} tabs do not reach {target}")

    def _key(self, key):
        self.page.keyboard.press(key)
        self.acts += 1

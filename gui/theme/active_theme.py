"""Active theme: its Qt colours, plot colours and the style sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QSettings, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPalette, QStaticText
from PySide6.QtWidgets import QApplication, QStyle

from . import colours as colours_of
from .colours import Colours

GRID = 10
TEXT_SIZE, TEXT_SIZES = "text size", (80, 150)  # setting, and its range in percent
ARROWS = Path(__file__).with_name("arrows")


class Theme(Colours):
    """Colour set with Qt colours."""

    def colour(self, name: str) -> QColor:
        return QColor(getattr(self, name))

    def mark(self, name: str) -> QColor:
        """Colour of a problem mark: `error`, `warning`, or muted for unfinished parts."""
        return self.colour(name if name in ("error", "warning") else "muted")

    def family(self, name: str) -> QColor:
        return QColor(self.families.get(name, self.families["signals"]))

    def wire(self, kind: str) -> QColor:
        return QColor(self.wires.get(kind, self.wires["signal"]))

    def fate(self, name: str) -> QColor:
        return QColor(self.fates[name])


THEMES = {name: Theme(**vars(colours)) for name, colours in colours_of.THEMES.items()}
LIGHT, DARK = THEMES["light"], THEMES["dark"]


class ThemeHolder(QObject):
    """Holder of the active theme; everything painted reads it here and repaints on `changed`."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.current = LIGHT
        self.style: Callable[[], QStyle] | None = None  # Qt's Fusion, or one that draws on it

    def use(self, name: str) -> None:
        wanted = THEMES.get(name, LIGHT)
        app = QApplication.instance()
        if wanted is self.current and isinstance(app, QApplication) and app.styleSheet():
            return  # a style sheet costs time for every widget
        self.current = wanted
        if isinstance(app, QApplication):
            app.setStyle(self.style() if self.style is not None else "Fusion")
            app.setPalette(palette(self.current))
            app.setStyleSheet(style_sheet(self.current))
        self.changed.emit()

    @contextmanager
    def lent(self, name: str) -> Iterator[None]:
        """Paint with another theme inside the context, for exported pictures."""
        own, self.current = self.current, THEMES[name]
        try:
            yield
        finally:
            self.current = own

    def restore(self) -> None:
        self.use(str(QSettings().value("theme", preferred())))
        if text_size() != 100:
            set_text_size(text_size())


def text_size() -> int:
    """Size of text in percent of the system's."""
    low, high = TEXT_SIZES
    found = QSettings().value(TEXT_SIZE, 100)
    return min(max(int(str(found)), low), high) if str(found).isdigit() else 100


def set_text_size(percent: int) -> None:
    """Set the size of all text, now and for the next sessions."""
    QSettings().setValue(TEXT_SIZE, percent)
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        return
    usual = app.property(TEXT_SIZE)
    if usual is None:
        usual = app.font().pointSizeF()
        app.setProperty(TEXT_SIZE, usual)
    font = app.font()
    font.setPointSizeF(float(usual) * percent / 100.0)
    app.setFont(font)
    app.setStyleSheet(style_sheet(holder.current))  # widgets that it has styled keep their font else


def preferred() -> str:
    """Colour scheme preferred by the desktop: `dark` or `light`."""
    app = QApplication.instance()
    if isinstance(app, QApplication) and app.styleHints().colorScheme() == Qt.ColorScheme.Dark:
        return "dark"
    return "light"


holder = ThemeHolder()


def theme() -> Theme:
    return holder.current


def canvas_font(pixels: int, bold: bool = False, stretch: int = 100) -> QFont:
    """Font for canvas text, sized in diagram units so that it scales with the diagram; `stretch` is in per cent."""
    font = QFont(QApplication.font())
    font.setPixelSize(pixels)
    font.setBold(bold)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if stretch != 100:
        font.setStretch(stretch)
    return font


# of text whose box may be lower than the font: its descenders would be cut
CENTRED = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip


def prepared(text: str, font: QFont, width: float) -> QStaticText:
    """Text laid out once for painting it often, elided to a width."""
    prepared = QStaticText(QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, width))
    prepared.setTextFormat(Qt.TextFormat.PlainText)
    prepared.prepare(font=font)
    return prepared


def palette(t: Theme) -> QPalette:
    colours = QPalette()
    role = QPalette.ColorRole
    pairs = {
        role.Window: t.panel,
        role.WindowText: t.text,
        role.Base: t.field,
        role.AlternateBase: t.window,
        role.Text: t.text,
        role.Button: t.panel,
        role.ButtonText: t.text,
        role.ToolTipBase: t.card,
        role.ToolTipText: t.text,
        role.Highlight: t.accent,
        role.HighlightedText: t.accent_text,
        role.PlaceholderText: t.muted,
        role.Link: t.accent,
        role.Mid: t.border,
    }
    for key, value in pairs.items():
        colours.setColor(key, QColor(value))
    for key in (role.Text, role.WindowText, role.ButtonText):
        colours.setColor(QPalette.ColorGroup.Disabled, key, QColor(t.muted))
    return colours


def style_sheet(t: Theme) -> str:
    return _bars(t) + _fields(t) + _marks(t)


def arrow(way: str, t: Theme) -> str:
    """File of an arrow in the colour of the theme, for a style sheet."""
    return (ARROWS / f"{way}_{t.name}.svg").as_posix()


def _bars(t: Theme) -> str:
    """Style sheet of windows, tool bars, menus and tabs."""
    return f"""
    QMainWindow {{ background: {t.panel}; }}
    QDialog {{ background: {t.window}; }}
    QDialogButtonBox {{ dialogbuttonbox-buttons-have-icons: 0; }}
    QMainWindow::separator {{ background: {t.border}; width: 1px; height: 1px; }}
    QToolBar {{ background: {t.panel}; border: 0; border-bottom: 1px solid {t.border};
        spacing: 2px; padding: 3px 6px; }}
    QToolBar[running="true"] {{ background: {t.running}; }}
    QToolBar::separator {{ background: {t.border}; width: 1px; margin: 5px 5px; }}
    QToolButton {{ border: 1px solid transparent; border-radius: 4px; padding: 3px; color: {t.text}; }}
    QToolButton#qt_toolbar_ext_button {{ qproperty-icon: url({arrow("down", t)}); padding: 0; }}
    QToolBar[narrow="true"] {{ spacing: 0; padding: 0 3px; }}
    QToolBar[narrow="true"] QToolButton {{ padding: 0 3px; }}
    QToolButton:hover {{ background: {t.window}; border-color: {t.border}; }}
    QToolButton:pressed, QToolButton:checked {{ background: {t.border}; }}
    QToolButton::menu-indicator {{ image: none; }}
    QToolButton:focus {{ border-color: {t.accent}; }}
    QSlider:focus, QTabBar::tab:selected:focus {{ border: 1px solid {t.accent}; }}
    QTabBar {{ qproperty-drawBase: 0; }}
    QDockWidget {{ color: {t.muted}; titlebar-close-icon: none; titlebar-normal-icon: none; }}
    QDockWidget::title {{ background: {t.panel}; padding: 5px 8px; border-bottom: 1px solid {t.border}; }}
    QMenuBar, QMenu, QStatusBar {{ background: {t.panel}; color: {t.text}; }}
    QMenuBar::item:selected, QMenu::item:selected {{ background: {t.accent}; color: {t.accent_text}; }}
    QMenu {{ border: 1px solid {t.border}; padding: 4px 0; }}
    QMenu::item {{ padding: 4px 26px 4px 10px; }}
    QMenu::icon, QMenu::indicator {{ margin-left: 9px; }}
    QMenu::item:disabled {{ color: {t.muted}; }}
    QMenu::separator {{ height: 1px; background: {t.border}; margin: 4px 8px; }}
    QStatusBar {{ border-top: 1px solid {t.border}; color: {t.muted}; }}
    QStatusBar::item {{ border: 0; }}
    QTabBar::tab {{ background: {t.panel}; color: {t.muted}; padding: 5px 8px; border: 0;
        border-bottom: 2px solid transparent; }}
    QTabBar::tab:selected {{ color: {t.text}; border-bottom: 2px solid {t.accent}; }}
    QTabBar::tab:hover {{ color: {t.text}; }}
    QTabBar[role="documents"] {{ background: {t.panel}; border-bottom: 1px solid {t.border}; }}
    QTabBar[role="documents"]::tab {{ padding: 4px 4px 4px 10px; min-width: 60px; }}
    QTabWidget::pane {{ border: 0; border-top: 1px solid {t.border}; }}
    """


def _fields(t: Theme) -> str:
    """Style sheet of input fields, lists and buttons."""
    return f"""
    QLineEdit, QPlainTextEdit, QTextBrowser, QComboBox, QAbstractSpinBox {{
        background: {t.field}; color: {t.text}; border: 1px solid {t.outline}; border-radius: 3px;
        padding: 2px 5px; min-height: 18px; selection-background-color: {t.accent};
        selection-color: {t.accent_text}; }}
    QComboBox:disabled, QAbstractSpinBox:disabled {{ color: {t.muted}; }}
    QComboBox::drop-down {{ border: 0; width: 18px; }}
    QComboBox::down-arrow {{ image: url({arrow("down", t)}); width: 10px; height: 10px; }}
    QComboBox QLineEdit, QAbstractSpinBox QLineEdit {{ border: 0; padding: 0; min-height: 0; background: transparent; }}
    QAbstractSpinBox {{ min-height: 16px; }}
    QAbstractSpinBox QLineEdit {{ padding-left: 4px; }}
    QAbstractSpinBox::up-button, QAbstractSpinBox::down-button {{ border: 0; width: 16px; background: transparent; }}
    QAbstractSpinBox::up-arrow {{ image: url({arrow("up", t)}); width: 8px; height: 8px; }}
    QAbstractSpinBox::down-arrow {{ image: url({arrow("down", t)}); width: 8px; height: 8px; }}
    QLineEdit:focus, QPlainTextEdit:focus, QComboBox:focus, QAbstractSpinBox:focus {{ border-color: {t.accent}; }}
    QLineEdit[wrong="true"], QComboBox[wrong="true"], QTableWidget[wrong="true"] {{ border-color: {t.error}; }}
    QComboBox QAbstractItemView {{ background: {t.field}; color: {t.text}; border: 1px solid {t.border}; }}
    QListView, QTreeView, QTableView {{ background: {t.field}; color: {t.text}; border: 1px solid transparent;
        alternate-background-color: {t.panel}; selection-background-color: {t.accent};
        selection-color: {t.accent_text}; outline: 0; }}
    QListView:focus, QTreeView:focus, QTableView:focus {{ border-color: {t.accent}; }}
    QTableView {{ gridline-color: {t.border}; border: 1px solid {t.border}; }}
    QTreeView::item, QListView::item {{ padding: 2px 2px; }}
    QListView::item {{ min-height: 18px; }}
    QHeaderView::section {{ background: {t.panel}; color: {t.muted}; border: 0; padding: 3px 6px;
        border-bottom: 1px solid {t.border}; border-right: 1px solid {t.border}; }}
    QPushButton {{ background: {t.card}; color: {t.text}; border: 1px solid {t.outline}; border-radius: 4px;
        padding: 4px 12px; }}
    QPushButton:hover, QPushButton:focus {{ border-color: {t.accent}; }}
    QPushButton:default {{ background: {t.accent}; color: {t.accent_text}; border-color: {t.accent}; }}
    QPushButton[compact="true"] {{ padding: 4px 8px; }}
    QTreeView QPushButton {{ padding: 1px 8px; }}
    QPushButton[accent="true"] {{ background: {t.accent}; color: {t.accent_text}; border-color: {t.accent}; }}
    QPushButton:disabled {{ background: {t.card}; color: {t.muted}; border-color: {t.border}; }}
    QPushButton[link="true"] {{ border: 1px solid transparent; background: transparent; color: {t.accent};
        padding: 1px 0; text-align: left; }}
    QPushButton[link="true"]:hover, QPushButton[link="true"]:focus {{ text-decoration: underline; }}
    QPushButton[link="true"]:focus {{ border-color: {t.accent}; }}
    QToolTip {{ background: {t.card}; color: {t.text}; border: 1px solid {t.border}; padding: 3px; }}
    QScrollArea {{ border: 0; background: {t.panel}; }}
    QScrollArea[role="beside"] {{ border-right: 1px solid {t.border}; }}
    QScrollArea[role="below"] {{ border-top: 1px solid {t.border}; }}
    QGraphicsView {{ border: 1px solid transparent; }}
    QGraphicsView[current="true"] {{ border-color: {t.border}; }}
    QGraphicsView:focus, QGraphicsView[current="true"]:focus {{ border-color: {t.accent}; }}
    QSplitter::handle {{ background: {t.border}; }}
    """


def _marks(t: Theme) -> str:
    """Style sheet of labels, scroll bars and progress bars."""
    return f"""
    QLabel[role="muted"] {{ color: {t.muted}; }}
    QLabel[role="error"] {{ color: {t.error}; }}
    QLabel[role="warning"] {{ color: {t.warning}; }}
    QLabel[over="true"] {{ background: {t.canvas}; border-radius: 3px; }}
    QLabel[role="title"] {{ color: {t.text}; font-weight: 600; }}
    QLabel[role="badge"] {{ color: {t.text}; border: 1px solid {t.border}; border-radius: 9px; padding: 1px 9px; }}
    QLabel[role="badge"][state="error"] {{ color: {t.error}; border-color: {t.error}; }}
    QLabel[role="badge"][state="warning"] {{ color: {t.warning}; border-color: {t.warning}; }}
    QLabel[role="badge"][state="busy"] {{ color: {t.muted}; }}
    QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
    QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
    QAbstractScrollArea::corner {{ background: transparent; border: 0; }}
    QScrollBar::handle {{ background: {t.outline}; border-radius: 3px; min-height: 24px; min-width: 24px;
        margin: 2px; }}
    QScrollBar::handle:hover {{ background: {t.muted}; }}
    QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{ background: none;
        border: 0; width: 0; height: 0; }}
    QSlider::groove:horizontal {{ background: {t.border}; height: 3px; border-radius: 1px; }}
    QSlider::handle:horizontal {{ background: {t.accent}; width: 12px; height: 12px; margin: -5px 0;
        border-radius: 6px; }}
    QProgressBar {{ background: {t.border}; border: 0; border-radius: 2px; max-height: 4px; }}
    QProgressBar::chunk {{ background: {t.accent}; border-radius: 2px; }}
    QFrame[role="age"] {{ background: {t.panel}; border: 0; border-bottom: 1px solid {t.border}; }}
    QFrame[role="rule"] {{ background: {t.border}; max-height: 1px; border: 0; }}
    """


@dataclass(frozen=True)
class Paper:
    paper: str
    ink: str
    muted: str  # axes, and what is hidden
    earlier: tuple[str, ...]  # tints of runs before the last one, one after the other
    curves: tuple[str, ...]
    names: tuple[str, ...]  # of the colours of curves


# slate, tan, sage, mauve, rose: quiet, and alike in contrast
WHITE = Paper(
    "#ffffff",
    "#1c2530",
    "#6a7480",
    ("#8b95a1", "#a98a66", "#76997a", "#a389b3", "#b8838c"),
    colours_of.LIGHT.curves,
    colours_of.NAMES,
)
GRAPHITE = Paper(
    "#23272d",
    "#e7eaee",
    "#8b95a1",
    ("#717c89", "#8f7752", "#5f7f63", "#86709a", "#9a6a72"),
    colours_of.DARK.curves,
    colours_of.NAMES_DARK,
)


def paper() -> Paper:
    return GRAPHITE if theme().name == "dark" else WHITE

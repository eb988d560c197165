"""Acts on grids, tables, calendars, sortable lists and carousels."""

from __future__ import annotations

from tests.widgets.act import Act, Library, check, click, drag, fill, press, select, text_of, type_, widget

SORTABLE = Library(
    "sortable",
    (
        widget(
            "list",
            Act(
                "is sorted downwards",
                drag("#chores :nth-child(1)", "#chores :nth-child(3)"),
                "order('chores') === 'Wash dishes,Feed the cat,Water plants,Take out trash'",
                appears=("Water plants",),
            ),
            Act(
                "is sorted upwards",
                drag("#chores :nth-child(4)", "#chores :nth-child(1)"),
                "order('chores') === 'Take out trash,Wash dishes,Feed the cat,Water plants'",
                appears=("Take out trash",),
            ),
            Act(
                "gives an item to another list",
                drag("#chores :nth-child(3)", "#done :nth-child(1)"),
                "order('done').includes('Feed the cat')",
                appears=("Feed the cat",),
            ),
        ),
    ),
)

TABULATOR = Library(
    "tabulator",
    (
        widget(
            "grid",
            Act(
                "sorts",
                click('columnheader "Count"'),
                "grid.getRows('active')[0].getData().name === 'Chair'",
                appears=("Count",),
            ),
            Act(
                "selects a row",
                click('gridcell "Desk"'),
                "grid.getSelectedData()[0].name === 'Desk'",
            ),
            Act(
                "opens a cell",
                click('gridcell "blue"'),
                "!!document.querySelector('.tabulator-editing input')",
                appears=("blue",),
            ),
            Act(
                "takes a value",
                type_("black\n", ".tabulator-cell.tabulator-editing input"),
                text_of("#edited", "colour is now blueblack"),
                appears=("colour is now",),
            ),
            Act(
                "filters",
                type_("la", ".tabulator-header-filter input"),
                "grid.getRows('active').length === 1",
                goes=("Desk",),
            ),
            Act(
                "ticks a cell",
                click('[tabulator-field="done"][role=gridcell]'),
                "grid.getRows()[2].getData().done === false",
                appears=(),
            ),
        ),
    ),
)

AG_GRID = Library(
    "ag_grid",
    (
        widget(
            "grid",
            Act(
                "sorts",
                click('.ag-header-cell[col-id="make"] .ag-header-cell-label'),
                "grid.getDisplayedRowAtIndex(0).data.make === 'Ford'",
            ),
            Act(
                "selects a row",
                check('[row-index="0"] input'),
                "grid.getSelectedRows()[0].make === 'Ford'",
                appears=("checked",),
            ),
            Act(
                "opens a cell",
                click('gridcell "Fiesta"', count=2),
                "grid.getEditingCells().length === 1",
                appears=("Fiesta",),
            ),
            Act(
                "takes a value",
                fill(".ag-cell-inline-editing input", "Focus"),
                "document.querySelector('.ag-cell-inline-editing input').value === 'Focus'",
            ),
            Act(
                "keeps it", press("Enter"), "grid.getDisplayedRowAtIndex(0).data.model === 'Focus'", appears=("Focus",)
            ),
            Act(
                "filters",
                type_("to", 'textbox "Make Filter Input"'),
                "grid.getDisplayedRowCount() === 1",
                goes=("Porsche",),
            ),
        ),
    ),
)

DATATABLES = Library(
    "datatables",
    (
        widget(
            "table",
            Act(
                "turns the page",
                click('link "2"'),
                "table.page() === 1",
                appears=("Brielle Williamson", "Showing 6 to 10"),
                goes=("Airi Satou",),
            ),
            Act(
                "searches",
                type_("vance", 'searchbox "Search:"'),
                "table.rows({search: 'applied'}).count() === 1",
                appears=("Showing 1 to 1 of 1",),
                goes=("Bruno Nash",),
            ),
            Act(
                "shows all again",
                fill('searchbox "Search:"', ""),
                "table.rows({search: 'applied'}).count() === 12",
                appears=("Airi Satou",),
            ),
            Act("sorts", click('button "Age: Activate to sort"'), "table.order()[0][0] === 2", appears=("Age",)),
            Act(
                "shows more",
                select('combobox "entries per page"', "10"),
                "table.page.len() === 10",
                appears=("Showing 1 to 10",),
            ),
        ),
    ),
)

FULLCALENDAR = Library(
    "fullcalendar",
    (
        widget(
            "calendar",
            Act(
                "opens an event",
                click('button "Choir practice"'),
                text_of("#clicked", "Opened Choir practice"),
                appears=("Opened Choir practice",),
            ),
            Act(
                "shows the next month",
                click('button "Next Month"'),
                "calendar.view.title === 'June 2031'",
                appears=("June 2031",),
                goes=("Visit aunt",),
            ),
            Act(
                "shows the month before",
                click('button "Previous Month"'),
                "calendar.view.title === 'May 2031'",
                appears=("Choir practice",),
            ),
            Act(
                "shows a list", click('tab "List view"'), "calendar.view.type === 'listMonth'", appears=("Visit aunt",)
            ),
            Act(
                "shows the month again",
                click('tab "Month view"'),
                "calendar.view.type === 'dayGridMonth'",
                appears=("Visit aunt",),
            ),
            Act(
                "moves an event",
                drag('button "Visit aunt"', 'gridcell "May 23, 2031"'),
                "calendar.getEvents().find((each) => each.title === 'Visit aunt').startStr === '2031-05-23'",
                appears=("Visit aunt",),
            ),
        ),
    ),
)

SWIPER = Library(
    "swiper",
    (
        widget(
            "carousel",
            Act("slides on", click('button "Next slide"'), "swiper.activeIndex === 1", appears=("Forty steps up.",)),
            Act(
                "jumps to a slide",
                click('button "Go to slide 3"'),
                "swiper.activeIndex === 2",
                appears=("Sleeps four.",),
            ),
            Act(
                "slides back",
                click('button "Previous slide"'),
                "swiper.activeIndex === 1",
                appears=("Forty steps up.",),
            ),
        ),
    ),
)

SPLIDE = Library(
    "splide",
    (
        widget(
            "carousel",
            Act("slides on", click('button "Next slide"'), "splide.index === 1", appears=("Old town on foot",)),
            Act("jumps to a slide", click('tab "Go to slide 3"'), "splide.index === 2", appears=("Hills by bicycle",)),
        ),
    ),
)

LIBRARIES = (SORTABLE, TABULATOR, AG_GRID, DATATABLES, FULLCALENDAR, SWIPER, SPLIDE)

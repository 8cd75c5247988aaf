"""The page as a player uses it, in a real browser, against the real server and small tables."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from databases.prober import Tables, open_tables
from scripts.browser import serving
from solver.oware import ogn
from solver.oware.position import Position
from solver.oware.rules import ABAPA, AWARI, Rules
from tests.web.page.conftest import SEEDS, Visit

SIX = "0-0-1-0-1-1-1-0-0-1-0-1-21-21-S"
"""Six seeds, level stores."""
WIDTHS = (360, 768, 1440)
GO = "address => { history.pushState(null, '', address); dispatchEvent(new PopStateEvent('popstate')); }"
"""Shows another address without loading the page anew."""


# -- reading the page -------------------------------------------------------------------------------------------------


def shown_position(page: Any) -> str:
    """The position that the page shows, when it has come to rest."""
    page.wait_for_selector("#board:not([aria-busy]) .store")
    return page.input_value("#position")


def wait_for_position(page: Any, text: str) -> None:
    page.wait_for_function("text => document.getElementById('position').value === text", arg=text)


def headline(page: Any) -> str:
    return page.inner_text("#headline")


def game_in(page: Any, rules: Rules = ABAPA) -> list[Position]:
    """The positions of the game that the address names, as the rules say."""
    query = {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}
    start = query.get("position", "start")
    positions = [Position.start(rules) if start == "start" else Position.parse(start, rules)]
    for letter in query.get("moves", "")[: int(query.get("ply", 1000))]:
        positions.append(positions[-1].play(letter))
    return positions


def signed(margin: float) -> str:
    return f"+{margin}" if margin > 0 else f"−{-margin}" if margin < 0 else "0"


# -- playing ----------------------------------------------------------------------------------------------------------


def test_a_game_by_clicks_to_its_end(visit: Visit) -> None:
    page = visit(f"?position={SIX}")
    choose = random.Random(5)
    for _ in range(80):
        position = game_in(page)[-1]
        wait_for_position(page, position.text)
        legal = [position.letter(house) for house in position.legal_moves()]
        links = page.locator("#board a.house").evaluate_all("links => links.map(link => link.dataset.move)")
        assert sorted(links) == sorted(legal)
        listed = page.locator("#moves a").evaluate_all("links => links.map(link => link.dataset.move)")
        assert sorted(listed) == sorted(legal)
        if not legal:
            break
        place = choose.choice(["#board a.house", "#moves a"])
        page.click(f'{place}[data-move="{choose.choice(legal)}"]')
    final = game_in(page)[-1]
    result = final.result()
    assert result is not None
    assert f"{result[0]}–{result[1]}" in headline(page)
    assert page.locator("#best").is_disabled()
    assert page.locator("#search-go").is_disabled() and "nothing to search" in page.inner_text("#search-status")
    assert not page.locator("#legend").is_visible()
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector("#search-go:enabled")
    assert page.locator("#legend").is_visible() and "looks ahead" in page.inner_text("#search-status")


def test_keys_alone(visit: Visit) -> None:
    page = visit(f"?position={SIX}")
    start = Position.parse(SIX)
    wait_for_position(page, start.text)
    page.keyboard.press("3")
    first = start.play("C")
    wait_for_position(page, first.text)
    page.keyboard.press("Shift+A")
    second = first.play("a")
    wait_for_position(page, second.text)
    page.keyboard.press("ArrowLeft")
    wait_for_position(page, first.text)
    page.keyboard.press("ArrowRight")
    wait_for_position(page, second.text)
    best = page.locator("#moves a").first.get_attribute("data-move")
    page.keyboard.press(" ")
    third = second.play(best)
    wait_for_position(page, third.text)
    page.keyboard.press("u")
    wait_for_position(page, second.text)
    page.keyboard.press("r")
    wait_for_position(page, third.text)
    page.keyboard.press("f")
    assert "flip=1" in page.url
    assert page.locator("#board .row").first.get_attribute("class") == "row south upper"
    page.keyboard.press("c")
    assert "Shift" in page.inner_text("#announce")
    wait_for_position(page, third.text)


def test_the_keyboard_reaches_every_part(visit: Visit) -> None:
    """From the skip link by Tab alone: what has the focus is seen, and a house is played with Enter."""
    page = visit(f"?position={SIX}")
    wait_for_position(page, SIX)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.move") == "C"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    wait_for_position(page, Position.parse(SIX).play("C").text)
    assert page.evaluate("document.activeElement.id") == "board"


def test_shortcuts_can_be_switched_off(visit: Visit) -> None:
    page = visit(f"?position={SIX}")
    wait_for_position(page, SIX)
    page.click("#settings summary")
    page.uncheck("#set-keys")
    page.keyboard.press("Escape")
    page.keyboard.press("3")
    page.wait_for_timeout(300)
    assert shown_position(page) == SIX


def test_the_sowing_is_shown_seed_by_seed(visit: Visit) -> None:
    page = visit("?position=4-4-4-4-4-4-4-4-4-4-4-4-0-0-S", motion=True)
    page.wait_for_selector("#board a.house")
    page.evaluate(
        """() => {
          const all = "#board .row.south .count";
          const counts = () => [...document.querySelectorAll(all)].map(({ textContent }) => textContent);
          window.seen = [];
          window.hand = false;
          const look = () => {
            window.seen.push(counts().join(" "));
            window.hand ||= document.querySelector("#board .hand") !== null;
          };
          new MutationObserver(look).observe(document.getElementById("board"), { subtree: true, childList: true });
        }"""
    )
    page.click('#board a[data-move="C"]')
    wait_for_position(page, Position.start().play("C").text)
    assert page.evaluate("window.hand")
    seen = list(dict.fromkeys(page.evaluate("window.seen")))
    assert seen == ["4 4 4 4 4 4", "4 4 0 4 4 4", "4 4 0 5 4 4", "4 4 0 5 5 4", "4 4 0 5 5 5"]
    assert page.locator(".hand").count() == 0


def test_pointing_at_a_move_shows_where_its_seeds_fall(visit: Visit) -> None:
    page = visit("?position=0-0-0-0-0-3-1-1-1-3-3-3-19-14-S")
    move = Position.parse("0-0-0-0-0-3-1-1-1-3-3-3-19-14-S").sow(5)
    assert move.captured == 6
    for place in ('#board a[data-move="F"]', '#moves a[data-move="F"]'):
        page.hover(place)
        sown = page.locator("#board .sown").evaluate_all("houses => houses.map(house => Number(house.dataset.house))")
        taken = page.locator("#board .taken").evaluate_all("houses => houses.map(house => Number(house.dataset.house))")
        assert sorted(sown) == [6, 7, 8] and sorted(taken) == [6, 7, 8]
        page.hover("#under")
        page.wait_for_function("() => !document.querySelector('#board .sown, #board .taken')")
    page.focus('#board a[data-move="F"]')
    assert page.locator("#board .sown").count() == 3


# -- the address ------------------------------------------------------------------------------------------------------


def test_back_and_forward_and_reload(visit: Visit) -> None:
    page = visit(f"?rules=awari&position={SIX}")
    positions = [Position.parse(SIX, AWARI)]
    wait_for_position(page, SIX)
    for letter in "Ca":
        page.click(f'#board a[data-move="{letter}"]')
        positions.append(positions[-1].play(letter))
        wait_for_position(page, positions[-1].text)
    page.go_back()
    wait_for_position(page, positions[1].text)
    page.go_back()
    wait_for_position(page, positions[0].text)
    page.go_forward()
    wait_for_position(page, positions[1].text)
    said = headline(page)
    page.reload()
    wait_for_position(page, positions[1].text)
    assert headline(page) == said
    assert "awari" in page.inner_text("#under")


def test_a_move_is_a_link_to_the_position_after(visit: Visit) -> None:
    page = visit(f"?position={SIX}&moves=C&flip=1")
    link = page.locator("#moves a").first
    after = game_in(page)[-1].play(link.get_attribute("data-move"))
    other = visit(link.get_attribute("href"))
    wait_for_position(other, after.text)


def test_an_address_that_makes_no_sense_is_told_and_can_be_left(visit: Visit) -> None:
    page = visit("?position=1-2-x&moves=Q")
    page.wait_for_selector("#board-error:not([hidden])")
    assert "1-2-x" in page.inner_text("#board-error")
    for of_a_position in ("#board", "#best", "#moves", "#search-go", "text=Copy this game", "text=Begin with"):
        assert not page.locator(of_a_position).is_visible()
    assert page.input_value("#position") == "1-2-x"
    page.click("#board-error a")
    wait_for_position(page, Position.start().text)
    assert page.locator("#best").is_visible()


def test_a_turn_of_omweso_that_is_none_is_told_and_can_be_left(visit: Visit, complaints: list[str]) -> None:
    page = visit("?view=omweso&turns=zz")
    page.wait_for_selector("#omweso .alert:not([hidden])")
    assert "zz" in page.inner_text("#omweso .alert")
    assert not page.locator(".omweso-board").is_visible() and not page.locator("#omweso-reply").is_visible()
    page.click("#omweso .alert a")
    page.wait_for_selector("#omweso-turns a")
    assert page.locator(".omweso-board").is_visible()
    complaints.clear()  # the browser says that it was answered with 400


def test_rules_without_tables_name_no_command_that_would_be_refused(visit: Visit) -> None:
    page = visit("?view=tables&rules=chess")
    page.wait_for_selector("#table-panel:has-text('There are no tables of chess.')")
    assert not page.locator("#table-panel code").count()
    page = visit("?view=tables&rules=abapa%2Bgrand-slam%3Dwin-only")
    page.wait_for_selector("#table-panel:has-text('can have no tables')")
    assert not page.locator("#table-panel code").count()
    page = visit("?view=tables&rules=awari%2Bpits%3D3")
    page.wait_for_selector("#table-panel code:has-text('abapa build --rules awari+pits=3')")


# -- positions and games ----------------------------------------------------------------------------------------------


def test_an_edited_position(visit: Visit) -> None:
    page = visit(f"?position={SIX}")
    wait_for_position(page, SIX)
    page.click("#edit")
    page.fill('[aria-label="Seeds in A"]', "2")
    page.fill('[aria-label="Seeds in North’s store"]', "19")
    page.check("input[name=turn][value=north]")
    page.wait_for_selector("#position-said:has-text('8 seeds on the board of 48, North to move')")
    page.fill('[aria-label="Seeds in B"]', "x")
    page.wait_for_selector(".said-of-field.bad")
    page.fill('[aria-label="Seeds in B"]', "0")
    page.wait_for_selector(".said-of-field.good")
    page.click("text=Use this position")
    wait_for_position(page, "2-0-1-0-1-1-1-0-0-1-0-1-21-19-N")
    page.keyboard.press("u")
    wait_for_position(page, SIX)


def test_the_field_is_checked_as_one_types(visit: Visit) -> None:
    page = visit(f"?position={SIX}")
    wait_for_position(page, SIX)
    page.fill("#position", "1 2 3")
    page.wait_for_selector(".said-of-field.bad")
    assert "3 counts" in page.inner_text("#position-said")
    assert page.get_attribute("#position", "aria-invalid") == "true"
    page.fill("#position", "0 0 0 0 1 2 0 0 0 0 1 0")
    page.wait_for_selector(".said-of-field.good")
    page.keyboard.press("Enter")
    wait_for_position(page, "0-0-0-0-1-2-0-0-0-0-1-0-0-0-S")


def some_game(start: Position, seed: int, most: int) -> tuple[list[Position], list[str]]:
    """Random moves from a position: every position, and the letters between."""
    choose, positions, moves = random.Random(seed), [start], []
    while positions[-1].result() is None and len(moves) < most:
        moves.append(positions[-1].letter(choose.choice(positions[-1].legal_moves())))
        positions.append(positions[-1].play(moves[-1]))
    return positions, moves


def test_a_pasted_game_with_its_mistakes_and_out_again(visit: Visit, tables: Path) -> None:
    page = visit()
    start = Position.parse("0-0-0-1-0-2-1-0-0-0-1-2-20-21-S", AWARI)
    positions, moves = some_game(start, 4, 14)
    page.wait_for_selector("#board .store")
    text = ogn.dump([ogn.Record.of(positions, moves, South="Ama", North="Kofi")])
    page.evaluate(
        "text => { const data = new DataTransfer(); data.setData('text/plain', text);"
        " document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true })); }",
        text,
    )
    wait_for_position(page, positions[-1].text)
    assert "Ama" in page.inner_text("#strip-title")
    with open_tables(tables, AWARI) as opened:
        losses = [loss(opened, before, letter) for before, letter in zip(positions, moves, strict=False)]
    assert any(losses)
    said = "links => links.slice(1).map(link => Number(/loses (\\d+)/.exec(link.title)?.[1] ?? 0))"
    assert page.locator("#strip .game-moves a").evaluate_all(said) == losses
    page.click("#step-first")
    wait_for_position(page, start.text)
    page.keyboard.press("ArrowRight")
    wait_for_position(page, positions[1].text)
    with page.expect_download() as download:
        page.click("text=Save")
    (record,) = ogn.parse(Path(download.value.path()).read_text())
    assert record.moves == moves and record.start == start


def test_a_file_dropped_on_the_page_is_read(visit: Visit) -> None:
    page = visit()
    start = Position.parse("0-0-0-1-0-2-1-0-0-0-1-2-20-21-S", AWARI)
    positions, moves = some_game(start, 4, 6)
    page.wait_for_selector("#board .store")
    page.evaluate(
        "text => { const data = new DataTransfer(); data.items.add(new File([text], 'game.ogn'));"
        " document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true })); }",
        ogn.dump([ogn.Record.of(positions, moves)]),
    )
    wait_for_position(page, positions[-1].text)
    assert game_in(page, AWARI) == positions
    page.click("#new")
    wait_for_position(page, Position.start(AWARI).text)
    page.go_back()
    wait_for_position(page, positions[-1].text)


def loss(opened: Tables, before: Position, letter: str) -> int:
    """Seeds that a move gives away."""
    values = {before.letter(move.house + before.turn * before.rules.pits): move.value for move in opened.moves(before)}
    return max(values.values()) - values[letter]


def test_a_record_that_cannot_be_read_is_told_where_it_stands(visit: Visit, complaints: list[str]) -> None:
    page = visit()
    page.fill("#record-text", "1. F f 2. Q *")
    page.click("text=Read the game")
    page.wait_for_selector("#record .alert:not([hidden])")
    assert "Q" in page.inner_text("#record .alert")
    wait_for_position(page, Position.start().text)
    answered_with(complaints, 400)


def answered_with(complaints: list[str], status: int) -> None:
    """Takes out what the browser itself says of an answer with this status, which the test wanted."""
    wanted = [text for text in complaints if f"status of {status}" in text]
    assert wanted
    complaints[:] = [text for text in complaints if text not in wanted]


# -- values -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", [AWARI, ABAPA], ids=str)
def test_the_values_are_the_probers(visit: Visit, tables: Path, rules: Rules) -> None:
    page = visit()
    choose = random.Random(7)
    with open_tables(tables, rules) as opened:
        for _ in range(12):
            board = [0] * 12
            for _ in range(SEEDS[rules]):
                board[choose.randrange(12)] += 1
            lead = choose.randrange(-2, 3) * 2
            left = 48 - SEEDS[rules] - lead
            position = Position(tuple(board), (left // 2 + lead, left - left // 2), choose.randrange(2), rules)
            if position.result() is not None:
                continue
            page.evaluate(GO, f"?rules={rules.id}&position={position.text}")
            wait_for_position(page, position.text)
            wanted = labels(opened, position)
            for place in ("#board a.house", "#moves a"):
                assert shown_labels(page, place) == wanted, position.text


def labels(opened: Tables, position: Position) -> dict[str, str]:
    """What must stand at each house: the margin at the end of the game, or what can be forced of it."""
    south, north = position.stores
    lead = south - north if position.turn == 0 else north - south
    found = {}
    for move in opened.moves(position):
        letter = position.letter(move.house + position.turn * position.rules.pits)
        after = position.play(letter)
        low = move.value if move.lower is None else move.lower
        high = move.value if move.upper is None else move.upper
        result = after.result()
        if result is not None and after.ending != "majority":  # after a majority the values count on, as everywhere
            low = high = int(result[position.turn] - result[1 - position.turn]) - lead
        found[letter] = signed(low + lead) if low == high else f"{signed(low + lead)}…{signed(high + lead)}"
    return found


def shown_labels(page: Any, place: str) -> dict[str, str]:
    return dict(
        page.locator(place).evaluate_all(
            "links => links.map(link => [link.dataset.move, link.querySelector('.worth').dataset.worth])"
        )
    )


def test_hidden_values_are_nowhere_and_stay_hidden(visit: Visit) -> None:
    page = visit(f"?rules=awari&position={SIX}")
    page.wait_for_selector("#board .worth.exact")
    page.check("#set-hide")
    for _ in range(2):
        page.wait_for_selector("#board a.house")
        assert page.locator("[data-worth]").count() == 0
        assert page.inner_text("#headline") == "South to move"
        assert not re.search(r"[+−][1-9]|wins|loses|draws", page.inner_text("#oware .hero") + page.inner_text("#moves"))
        names = page.locator("#board a.house").evaluate_all(
            "links => links.map(link => link.getAttribute('aria-label'))"
        )
        assert not any(re.search("wins|loses|draws", name) for name in names)
        page.reload()


def test_the_marks_and_the_order_are_explained_where_they_are_used(visit: Visit) -> None:
    page = visit("?position=0-0-0-0-1-0-0-0-0-0-0-1-23-23-S")
    page.wait_for_selector("#moves .mark.sure")
    marks = page.locator("#moves .mark.sure").evaluate_all("marks => marks.map(mark => [...mark.classList].pop())")
    assert marks == ["bounded"]
    said = page.inner_text(".card.moves")
    assert "Moves are grouped by outcome" in said
    assert all(word in said for word in ("exact: proven", "bounded: proven limits", "estimate: may change"))
    assert "What do these numbers mean?" in page.inner_text("body")


def test_a_missing_table_shows_its_command_and_the_search_steps_in(visit: Visit, tables: Path) -> None:
    page = visit("?rules=awari&position=2-2-2-2-2-2-2-2-2-2-2-2-0-0-S")
    page.wait_for_selector("#missing .command")
    assert page.inner_text("#missing code").startswith("abapa build --rules awari --seeds 24")
    assert re.search(r"It takes [0-9.]+ \w+ boards, [0-9.]+ \wiB of disk, about", page.inner_text("#missing .needs"))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#missing button")
    assert page.evaluate("navigator.clipboard.readText()") == page.inner_text("#missing code")
    page.wait_for_selector("#board .worth.estimate")
    assert "Estimate at depth" in page.inner_text("#under")
    page.click("#board a.house >> nth=0")
    wait_for_position(page, game_in(page, AWARI)[-1].text)


def test_a_search_can_be_stopped(visit: Visit) -> None:
    page = visit("?position=start")
    page.wait_for_selector("#board .worth.estimate")
    page.wait_for_function("() => document.getElementById('search-go').textContent === 'Search'")
    page.select_option("#search-seconds", "30")
    page.click("#search-go")
    page.wait_for_function("() => document.getElementById('search-go').textContent === 'Stop'")
    page.click("#search-go")
    page.wait_for_function("() => document.getElementById('search-go').textContent === 'Search'")


def test_the_engine_plays_and_says_how_it_was_weakened(visit: Visit) -> None:
    page = visit(f"?position={SIX}&engine=north&level=1")
    wait_for_position(page, SIX)
    page.click('#board a[data-move="C"]')
    page.wait_for_selector("#engine .status:has-text('The engine played')")
    position = game_in(page)[-1]
    wait_for_position(page, position.text)
    assert position.turn == 0
    assert len(page.inner_text("#engine .status")) > len("The engine played a.") + 10


# -- the server -------------------------------------------------------------------------------------------------------


def test_the_server_goes_away_and_comes_back(visit: Visit, tables: Path, complaints: list[str]) -> None:
    with serving(tables) as (address, process):
        page = visit(f"?position={SIX}", at=address)
        wait_for_position(page, SIX)
        process.terminate()
        process.wait(20)
        page.click('#board a[data-move="C"]')
        page.wait_for_selector("#board-error:not([hidden])")
        assert "does not answer" in page.inner_text("#board-error")
        assert page.locator("#board .house").count() == 12
    with serving(tables, int(address.rpartition(":")[2])):
        page.click("#board-error button")
        wait_for_position(page, Position.parse(SIX).play("C").text)
        assert page.locator("#board-error").is_hidden()
    complaints[:] = [text for text in complaints if "ERR_CONNECTION_REFUSED" not in text]


def test_a_question_no_longer_wanted_is_dropped(visit: Visit) -> None:
    """The server is slow with the first question; the reader goes on, and the browser drops it."""
    page = visit(f"?position={SIX}")
    wait_for_position(page, SIX)
    dropped: list[str] = []
    page.on("requestfailed", lambda request: dropped.append(request.post_data))
    page.route("**/api/v1/oware", lambda route: None if '"moves":"C"' in route.request.post_data else route.continue_())
    page.click('#moves a[data-move="C"]')
    page.go_back()
    page.click('#moves a[data-move="E"]')
    wait_for_position(page, Position.parse(SIX).play("E").text)
    assert len(dropped) == 1 and '"moves":"C"' in dropped[0]


# -- tables and Omweso ------------------------------------------------------------------------------------------------


def test_a_tab_for_each_table(visit: Visit) -> None:
    page = visit(f"?view=tables&rules=awari&position={SIX}")
    page.wait_for_selector(".histogram")
    tabs = page.locator("[role=tab]").all_inner_texts()
    assert tabs == [str(seeds) for seeds in range(SEEDS[AWARI] + 1)]
    assert page.locator("[role=tab][aria-selected=true]").inner_text() == "6"
    assert "You are here" in page.inner_text(".you")
    assert "12,376 boards" in page.inner_text("#table-panel")
    page.keyboard.press("Tab")
    page.focus("[role=tab][aria-selected=true]")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("h2:has-text('7 seeds')")
    assert "tier=7" in page.url
    page.click("text=Look at it")
    page.wait_for_selector("#oware:not([hidden]) #board a.house")
    assert sum(game_in(page, AWARI)[-1].board) == 7


def test_the_parts_of_a_table_have_their_names_where_these_fit(visit: Visit) -> None:
    for width in (360, 1280):
        page = visit(f"?view=tables&rules=awari&position={SIX}", width=width)
        page.wait_for_selector(".histogram")
        fits = "name => name.offsetWidth <= name.parentElement.clientWidth && name.offsetHeight < 24"
        names = page.locator(".shares .name")
        assert names.evaluate_all(f"names => names.every({fits})")
        assert names.first.is_visible()


def test_a_turn_of_omweso_is_replayed_and_answered(visit: Visit) -> None:
    page = visit("?view=omweso", motion=True)
    page.wait_for_selector("#omweso-turns a")
    turn = page.locator("#omweso-turns a").first
    name = turn.get_attribute("data-turn")
    turn.click()
    page.wait_for_selector(f".lap-words:has-text('Turn {name}')")
    # A lap that plays by itself may be over before a busy machine looks: it is stepped to, which also pauses.
    page.wait_for_function(
        "() => { document.querySelector('.laps button[aria-label=\"The lap before\"]').click();"
        " return document.querySelector('.laps input').value === '0'; }"
    )
    page.click(".laps button[aria-label='The next lap']")
    page.wait_for_selector(f".lap-words:has-text('Turn {name}, lap 1 of')")
    page.wait_for_selector(".omweso-board .sown")
    page.click(".laps button:has-text('Done')")
    page.wait_for_function("() => document.getElementById('omweso-headline').textContent === 'North to move'")
    page.click("#omweso-reply")
    page.wait_for_function("() => new URLSearchParams(location.search).get('turns')?.includes(',')", timeout=120_000)
    page.click(".laps button:has-text('Done')")
    page.wait_for_function("() => document.getElementById('omweso-headline').textContent === 'South to move'")
    assert page.locator(".omweso-board .pit").count() == 32
    page.go_back()
    page.wait_for_function("() => document.getElementById('omweso-headline').textContent === 'North to move'")


# -- everyone ---------------------------------------------------------------------------------------------------------

VIEWS = {
    "endgame": f"?rules=awari&position={SIX}&moves=C",
    "bounded": "?position=1-0-1-0-1-0-0-1-0-1-0-1-21-21-S",
    "missing": "?position=2-2-2-2-2-2-2-2-2-2-2-2-0-0-S",
    "over": "?rules=awari&position=0-0-0-0-1-2-0-0-0-0-1-1-26-12-S",
    "nowhere": "?position=nowhere",
    "tables": f"?view=tables&rules=awari&position={SIX}",
    "omweso": "?view=omweso",
}


def rest(page: Any) -> None:
    """Until the view has what it shows."""
    page.wait_for_selector(".view:not([hidden]) :is(#board .store, #board-error a, .histogram, #omweso-turns a)")
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_is_wider_than_the_screen(visit: Visit, view: str, width: int) -> None:
    page = visit(VIEWS[view], width=width)
    rest(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("view", "scheme", "width"),
    [pytest.param(view, scheme, width, marks=[] if (scheme == "light") == (width == 1280) else pytest.mark.full)
     for view in VIEWS for scheme in ("light", "dark") for width in (360, 1280)],
)  # fmt: skip
def test_axe_finds_nothing(visit: Visit, view: str, scheme: str, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    page = visit(VIEWS[view], width=width, color_scheme=scheme)
    rest(page)
    page.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text())
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found] == []


def test_dark_and_light_by_the_switch(visit: Visit) -> None:
    page = visit(f"?position={SIX}", color_scheme="light")
    wait_for_position(page, SIX)
    colour = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.click("#settings summary")
    page.select_option("#set-theme", "dark")
    dark = page.evaluate(colour)
    assert dark != light
    page.reload()
    assert page.evaluate(colour) == dark

// What the pages do besides being read: follow the store, load the next page when the end is near, complete conditions, and
// answer keys. Each page works without it.
"use strict";

const root = document.documentElement;
root.classList.add("js");
const theme = localStorage.getItem("theme");
if (theme) root.dataset.theme = theme;

const byId = (id) => document.getElementById(id);
const parsed = async (response) => new DOMParser().parseFromString(await response.text(), "text/html");

// On a narrow page a cell says which column it is of.
function label(table) {
    if (!table) return;
    const names = [...table.querySelectorAll("thead th")].map((th) => (th.querySelector("a, bdi") || th).textContent);
    for (const row of table.tBodies[0].rows) {
        if (row.cells[0]?.dataset.label !== undefined) continue;
        [...row.cells].forEach((cell, place) => { cell.dataset.label = names[place] ?? ""; });
    }
    table.parentElement.classList.toggle("wide", names.length > 2);
}
const labelAll = () => document.querySelectorAll("#scroller > table").forEach(label);

// The next page is added when the end of this one is near. The page keeps a window of rows, so that it stays as quick at
// the end of a hundred thousand records as at their beginning.
const mostRows = 600;
let isLoading = false;
let added = 0;
// The address of the page as it was served, which stays while the address in the bar follows the rows that are in sight.
let served = location.href;

async function loadNext() {
    const link = document.querySelector('#pager a[rel="next"]');
    const rows = byId("rows");
    if (!link || !rows || isLoading) return;
    isLoading = true;
    try {
        const response = await fetch(link.href + "&part=rows");
        if (!response.ok) return;
        const page = await parsed(response);
        const more = page.getElementById("rows");
        const first = byId("rows").children.length;
        if (more?.firstElementChild) more.firstElementChild.dataset.address = link.href;
        if (more) rows.append(...more.children);
        added += rows.children.length - first;
        const scroller = byId("scroller");
        const surplus = rows.children.length - mostRows;
        if (surplus > 0) {
            // One measurement for all rows that go: each one lays the page out.
            const { scrollHeight, scrollTop } = scroller;
            const left = rows.children[surplus];
            left.dataset.address ??= lastAddress([...rows.children].slice(0, surplus));
            const gone = document.createRange();
            gone.setStart(rows, 0);
            gone.setEnd(rows, surplus);
            gone.deleteContents();
            scroller.scrollTop = scrollTop - (scrollHeight - scroller.scrollHeight);
        }
        byId("pager").replaceWith(page.getElementById("pager"));
        labelAll();
    } finally {
        isLoading = false;
    }
}

// The address of the last page that begins among some rows.
const lastAddress = (rows) => rows.findLast((row) => row.dataset.address)?.dataset.address ?? served;

// The address in the bar is of the page that the first row in sight is on, so that a reload and a link lead there again.
let isFollowing = false;
function followPlace() {
    if (added === 0 || isFollowing) return;
    isFollowing = true;
    setTimeout(() => {
        isFollowing = false;
        const top = byId("scroller")?.getBoundingClientRect().top ?? 0;
        const above = [...(byId("rows")?.children ?? [])].filter((row) => row.getBoundingClientRect().top <= top + 1);
        const address = lastAddress(above);
        if (address !== location.href) history.replaceState(null, "", address);
    }, 150);
}

function watchEnd() {
    const scroller = byId("scroller");
    if (!scroller || !byId("pager")) return;
    scroller.addEventListener("scroll", () => {
        if (scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 900) loadNext();
        followPlace();
    }, { passive: true });
}

// A condition that was just typed has no total yet: counting may take longer than the page.
async function countTotal() {
    const total = byId("total");
    if (!total?.dataset.count) return;
    const response = await fetch(total.dataset.count);
    if (response.ok) total.textContent = await response.text();
}

// The page follows the store: its content is replaced by the current one, and changed rows are marked.
let tag = null;
// The part of the page as it was served, before anything here was added to it.
let shown = byId("main")?.outerHTML;
let isRefreshing = false;
let isAskedAgain = false;

function state(text) {
    const live = byId("live");
    if (live) live.dataset.state = text;
}

function rowsByKey(container) {
    const rows = new Map();
    for (const row of container?.querySelectorAll("#rows > *") ?? []) {
        rows.set(row.querySelector("a")?.getAttribute("href") ?? row.textContent, row);
    }
    return rows;
}

async function refresh() {
    if (!byId("live")) return;
    if (isRefreshing) { isAskedAgain = true; return; }
    isRefreshing = true;
    try {
        const response = await fetch(served, tag ? { headers: { "If-None-Match": tag } } : {});
        if (response.status === 304) return;
        const page = await parsed(response);
        const models = page.getElementById("models");
        if (models && models.outerHTML !== byId("models").outerHTML) byId("models").replaceWith(models);
        const main = page.getElementById("main");
        if (!main) return;
        const sent = main.outerHTML;
        if (sent === shown) {
            tag = response.headers.get("ETag");
            return;
        }
        // A reader who has scrolled on, or is typing, gets a notice and keeps the place.
        if (added > 0) return offer();
        if (document.activeElement?.closest("#main form") || document.querySelector("#main .chooser[open]")) return;
        tag = response.headers.get("ETag");
        const before = rowsByKey(byId("main"));
        const here = document.querySelector("#rows > .here a")?.getAttribute("href");
        const { scrollTop, scrollLeft } = byId("scroller") ?? { scrollTop: 0, scrollLeft: 0 };
        const top = byId("main").scrollTop;
        const open = [...byId("main").querySelectorAll("details")].map((details) => details.open);
        byId("main").replaceWith(main);
        main.querySelectorAll("details").forEach((details, place) => { details.open = open[place] ?? false; });
        shown = sent;
        main.scrollTop = top;
        if (byId("scroller")) Object.assign(byId("scroller"), { scrollTop, scrollLeft });
        for (const [key, row] of rowsByKey(main)) {
            const old = before.get(key);
            if (before.size > 0 && old?.textContent !== row.textContent) row.dataset.changed = "";
            if (key === here) row.classList.add("here");
        }
        setTimeout(() => main.querySelectorAll("[data-changed]").forEach((row) => delete row.dataset.changed), 1500);
        prepare();
    } catch {
        state("off");
    } finally {
        isRefreshing = false;
        if (isAskedAgain) { isAskedAgain = false; refresh(); }
    }
}

function offer() {
    if (document.querySelector(".news")) return;
    const button = document.createElement("button");
    button.className = "news";
    button.textContent = "The store has changed. Show it";
    button.onclick = () => location.reload();
    document.body.append(button);
}

// A browser opens six connections to a server at most, so of all tabs one listens and tells the others.
function listen() {
    const tabs = new BroadcastChannel("store");
    tabs.onmessage = (message) => {
        if (message.data === "changed") refresh();
        else state(message.data);
    };
    const tell = (text) => {
        tabs.postMessage(text);
        if (text === "changed") refresh();
        else state(text);
    };
    const follow = () => new Promise(() => {
        const events = new EventSource("/events");
        // Changes before the connection was open have reached no tab: those of a new page, or while another tab listened.
        events.onopen = () => { tell("on"); tell("changed"); };
        events.onerror = () => tell("off");
        events.onmessage = () => tell("changed");
    });
    if (navigator.locks) navigator.locks.request("events", follow);
    else follow();
    state("on");
}

// Completion of conditions.
function complete(input) {
    const list = document.createElement("ul");
    list.className = "completions";
    list.setAttribute("role", "listbox");
    list.hidden = true;
    input.parentElement.append(list);
    let asked = 0;
    const close = () => { list.hidden = true; };
    const choose = (item) => {
        const { start, end, text } = item.dataset;
        input.setRangeText(text, Number(start), Number(end), "end");
        close();
        input.focus();
        show();
    };
    const select = (step) => {
        const items = [...list.children];
        const place = items.findIndex((item) => item.ariaSelected === "true");
        items.forEach((item) => { item.ariaSelected = "false"; });
        const next = items[(place + step + items.length) % items.length];
        if (next) next.ariaSelected = "true";
    };
    const show = async () => {
        const mine = ++asked;
        const query = new URLSearchParams({ m: input.dataset.model, t: input.value, p: input.selectionStart });
        const response = await fetch("/complete?" + query);
        if (!response.ok || mine !== asked) return;
        const found = await response.json();
        list.replaceChildren(...found.words.map((word) => {
            const item = document.createElement("li");
            item.setAttribute("role", "option");
            item.ariaSelected = "false";
            Object.assign(item.dataset, { start: found.start, end: found.end, text: word.text });
            item.append(word.text);
            const note = document.createElement("small");
            note.textContent = word.note;
            item.append(note);
            item.onmousedown = (event) => { event.preventDefault(); choose(item); };
            return item;
        }));
        list.hidden = found.words.length === 0 || document.activeElement !== input;
    };
    input.addEventListener("input", show);
    input.addEventListener("focus", show);
    input.addEventListener("blur", close);
    input.addEventListener("keydown", (event) => {
        if (list.hidden) return;
        const chosen = list.querySelector('[aria-selected="true"]');
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            select(event.key === "ArrowDown" ? 1 : chosen ? -1 : 0);
        } else if (event.key === "Tab" && list.children.length > 0 && !event.shiftKey) {
            event.preventDefault();
            choose(chosen ?? list.firstElementChild);
        } else if (event.key === "Enter" && chosen) {
            event.preventDefault();
            choose(chosen);
        } else if (event.key === "Escape") {
            close();
        }
    });
}

// Keys.
function move(step) {
    const rows = [...(byId("rows")?.children ?? [])];
    if (rows.length === 0) return;
    const here = rows.findIndex((row) => row.classList.contains("here"));
    const next = rows[Math.min(Math.max(here + step, 0), rows.length - 1)];
    rows[here]?.classList.remove("here");
    next.classList.add("here");
    next.scrollIntoView({ block: "nearest" });
    next.querySelector("a")?.focus({ preventScroll: true });
}

function follow(selector) { document.querySelector(selector)?.click(); }

document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") return document.activeElement?.blur();
    if (event.target.closest("input, select, textarea, dialog[open]")) return;
    const actions = {
        "/": () => (byId("search") ?? byId("condition"))?.focus(), f: () => byId("condition")?.focus(),
        j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
        Enter: () => event.target.closest("a, button, summary") ? null : follow("#rows > .here a"),
        n: () => follow('#pager a[rel="next"]'), p: () => follow('#pager a[rel="prev"]'),
        h: () => { location.href = "/"; }, t: switchTheme, "?": () => byId("help")?.showModal(),
    };
    const action = actions[event.key];
    if (!action || event.key === "Enter" && event.target.closest("a, button, summary")) return;
    event.preventDefault();
    action();
});

function switchTheme() {
    const isDark = root.dataset.theme
        ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
}

function prepare() {
    added = 0;
    labelAll();
    watchEnd();
    countTotal();
    const input = byId("condition");
    if (input) complete(input);
    for (const select of document.querySelectorAll("select[data-submit]")) select.onchange = () => select.form.submit();
}

byId("theme")?.addEventListener("click", switchTheme);
prepare();
if (byId("live")) listen();

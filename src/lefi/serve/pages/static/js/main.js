// The frame around the pages: which page the address names, the theme, the token.
import { me, signOut } from "./api.js";
import { fill, h } from "./dom.js";

const pages = {
  "": () => import("./overview.js"),
  jobs: () => import("./job.js"),
  clients: () => import("./client.js"),
  ledger: () => import("./ledger.js"),
  playground: () => import("./playground.js"),
};
const main = document.getElementById("main");
let current = null; // { key, page }

export function address() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [page = "", ...rest] = path.split("/").map(decodeURIComponent);
  return { page, rest, query: new URLSearchParams(query) };
}

// Change the query of the address without another entry in the history.
export function keep(values) {
  const { query } = address();
  for (const [name, value] of Object.entries(values)) value === null || value === undefined || value === "" ? query.delete(name) : query.set(name, value);
  const path = location.hash.split("?")[0] || "#/";
  history.replaceState(null, "", query.size ? `${path}?${query}` : path);
}

async function show() {
  const { page, rest, query } = address();
  const key = [page, ...rest].join("/");
  for (const link of document.querySelectorAll("[data-nav]")) {
    const here = link.dataset.nav === (page === "playground" ? "playground" : "jobs");
    here ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  if (current?.key === key) return current.page?.changed?.(query);
  current?.page?.leave?.();
  current = { key, page: null };
  const mine = current;
  link(null);
  try {
    const { role, job, client } = await me();
    if (role === "client" && page !== "clients") { location.hash = `#/clients/${encodeURIComponent(job)}/${encodeURIComponent(client)}`; return undefined; }
    const module = await (pages[page] || pages[""])();
    if (mine !== current) return undefined;
    const root = h("div", {});
    fill(main, root);
    main.focus({ preventScroll: true });
    scrollTo(0, 0);
    mine.page = await module.show(root, rest, query);
    if (mine !== current) mine.page?.leave?.();
  } catch (error) {
    if (mine === current) fail(error);
  }
  return undefined;
}

export function fail(error) {
  const again = h("button", { type: "button", onclick: () => { current = null; show(); } }, "Try again");
  fill(main, h("div", { class: "empty" }, h("h1", {}, "That did not work"), h("p", { class: "muted" }, error.message), again));
}

// One line in the bar while the service cannot be reached.
export function link(text) {
  const place = document.getElementById("link");
  place.hidden = !text;
  place.textContent = text || "";
}

function dress() {
  const button = document.getElementById("theme");
  const name = () => { button.textContent = document.documentElement.dataset.theme === "dark" ? "Light" : "Dark"; };
  button.addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("lefi-theme", theme);
    name();
    dispatchEvent(new Event("themed"));
  });
  name();
  document.getElementById("role").addEventListener("click", signOut);
  addEventListener("signed", named);
}

// Who is signed in, where the service asks; a click signs out.
async function named() {
  const { role, client, tokens } = await me();
  const button = document.getElementById("role");
  button.hidden = !tokens;
  button.textContent = `${client || role}, sign out`;
}

dress();
named().catch(() => {});
addEventListener("hashchange", show);
show();

// Calls to the service. The token, where one is asked for, lives as long as the tab.
import { ask } from "./dom.js";

const KEY = "lefi-token";
let asking = null;

export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

export const token = {
  get: () => sessionStorage.getItem(KEY),
  set: (value) => (value ? sessionStorage.setItem(KEY, value) : sessionStorage.removeItem(KEY)),
};

export function headers(more = {}) {
  return token.get() ? { authorization: `Bearer ${token.get()}`, ...more } : more;
}

export function askToken(text = "This service asks who you are.") {
  asking ||= ask("Token", text, [{ name: "token", label: "Token", attributes: { type: "password", autocomplete: "off" } }], "Go on")
    .then((given) => {
      asking = null;
      if (given) token.set(given.token.trim());
      return Boolean(given);
    });
  return asking;
}

export async function call(path, options = {}) {
  const response = await fetch(path, { ...options, headers: headers(options.headers) });
  if (response.status === 401 && (await askToken())) return call(path, options);
  if (!response.ok) throw new Refused(response.status, await reason(response));
  return response;
}

async function reason(response) {
  try {
    const told = await response.json();
    const detail = told.detail ?? told.title;
    return typeof detail === "string" ? detail : JSON.stringify(detail);
  } catch {
    return `the service answered ${response.status}`;
  }
}

export async function get(path) {
  return (await call(path)).json();
}

export async function send(method, path, body) {
  const options = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  return call(path, { method, ...options });
}

export async function download(path, name) {
  const url = URL.createObjectURL(await (await call(path)).blob());
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export const view = (job, rest = "") => `/v1/views/jobs/${encodeURIComponent(job)}${rest}`;
export const jobPath = (job, rest = "") => `/v1/jobs/${encodeURIComponent(job)}${rest}`;

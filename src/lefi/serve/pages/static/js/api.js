// Calls to the service, and who is calling it.
import { ask } from "./dom.js";

const TRIES = 3; // of a request that came too often
let asking = null;

export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

// Sign in with a token: the service keeps it in a cookie that scripts cannot read.
export function signIn(text = "This service asks who you are.") {
  const field = { name: "token", label: "Token", attributes: { type: "password", autocomplete: "off" } };
  asking ||= ask("Sign in", text, [field], "Sign in").then(async (given) => {
    asking = null;
    if (!given) return false;
    const told = await fetch("/v1/session", { method: "POST", body: JSON.stringify({ token: given.token.trim() }), headers: { "content-type": "application/json" } });
    if (told.ok) {
      mine = null;
      dispatchEvent(new Event("signed"));
      return true;
    }
    return signIn("This token is not good. Another one?");
  });
  return asking;
}

export async function signOut() {
  await fetch("/v1/session", { method: "DELETE" });
  location.reload();
}

let mine = null;

// Who is calling: { role, job, client, tokens }.
export function me() {
  mine ||= get("/v1/me").catch((error) => { mine = null; throw error; });
  return mine;
}

export async function call(path, options = {}) {
  const response = await fetch(path, options);
  if (response.status === 401 && (await signIn())) return call(path, options);
  if (response.status === 429 && (options.tries ?? 0) < TRIES) {
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get("retry-after") ?? 1)));
    return call(path, { ...options, tries: (options.tries ?? 0) + 1 });
  }
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

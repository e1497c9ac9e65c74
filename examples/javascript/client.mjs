// A client for the lefi service that knows nothing but its OpenAPI file: one function per operation.
//
//   const lefi = await connect("http://127.0.0.1:8400", token);
//   await lefi.openRound({ job: "phones", round: 1, clients: ["a", "b"] });
//
// Arguments that the file names as part of the address go there; all others are the body.

const PATIENCE = 30_000; // milliseconds for which a service that does not answer is tried again
const PAUSE = 200; // milliseconds between two tries

export class Refused extends Error {
  constructor(problem) {
    super(`${problem.status}: ${problem.detail}`);
    this.problem = problem; // field, value and what is allowed, where the service says so
  }
}

export async function connect(url, token) {
  const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const file = await (await tried(`${url}/v1/openapi.json`, { headers })).json();
  const operations = {};
  for (const [path, methods] of Object.entries(file.paths)) {
    for (const [method, said] of Object.entries(methods)) {
      operations[said.operationId] = (given = {}) => call(url, headers, path, method, said, given);
    }
  }
  return operations;
}

async function call(url, headers, path, method, said, given) {
  const rest = { ...given };
  const query = new URLSearchParams();
  for (const { name, in: place } of said.parameters ?? []) {
    if (!(name in rest)) continue;
    if (place === "path") path = path.replace(`{${name}}`, encodeURIComponent(rest[name]));
    if (place === "query") query.set(name, rest[name]);
    delete rest[name];
  }
  const address = `${url}${path}${query.size ? `?${query}` : ""}`;
  const body = said.requestBody ? JSON.stringify(rest) : undefined;
  const reply = await tried(address, { method: method.toUpperCase(), headers, body });
  const text = await reply.text();
  const told = text && reply.headers.get("content-type").includes("json") ? JSON.parse(text) : text;
  if (!reply.ok) throw new Refused(told);
  return told;
}

// Every request may be sent again: the service answers a repeated one with what it wrote the first time.
async function tried(address, options) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    try {
      const reply = await fetch(address, options);
      if (![429, 503].includes(reply.status) || Date.now() > end) return reply;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}

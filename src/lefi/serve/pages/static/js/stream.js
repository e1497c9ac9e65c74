// Server-sent events over fetch, which can show a token; after a break it goes on from the last event that was heard.
const FIRST = 500, LONGEST = 8000; // milliseconds before the next attempt

export function listen(path, { on, state = () => {}, once = false }) {
  const stop = new AbortController();
  let last = null, wait = FIRST;

  async function attempt() {
    const more = { accept: "text/event-stream", ...(last === null ? {} : { "last-event-id": last }) };
    const response = await fetch(path, { headers: more, signal: stop.signal, cache: "no-store" });
    if (!response.ok) {
      const told = await response.json().catch(() => ({}));
      throw Object.assign(new Error(told.detail || `the service answered ${response.status}`), { status: response.status });
    }
    state("open");
    wait = FIRST;
    for await (const event of events(response.body)) {
      if (event.id !== undefined) last = event.id;
      if (event.data !== undefined) on(event.event || "message", JSON.parse(event.data), event.id);
    }
  }

  async function run() {
    while (!stop.signal.aborted) {
      try {
        await attempt();
        if (once) return state("end");
      } catch (error) {
        if (stop.signal.aborted) return undefined;
        if (once || (error.status >= 400 && error.status < 500)) return state("refused", error);
      }
      state("lost");
      await new Promise((resolve) => setTimeout(resolve, wait));
      wait = Math.min(LONGEST, wait * 2);
    }
    return undefined;
  }

  run();
  return () => stop.abort();
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) yield parsed(block);
  }
}

function parsed(block) {
  const event = {};
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    if (at <= 0) continue; // a comment: the heartbeat
    const name = line.slice(0, at), value = line.slice(at + 1).replace(/^ /, "");
    event[name] = name === "data" && event.data !== undefined ? `${event.data}\n${value}` : value;
  }
  return event;
}

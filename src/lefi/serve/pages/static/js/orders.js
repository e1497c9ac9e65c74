// What an operator orders: the calls that change something, and the questions before them.
import { download, get, jobPath, me, send } from "./api.js";
import { ask, toast } from "./dom.js";

async function tried(work, done) {
  try {
    await work();
    toast(done);
    return true;
  } catch (error) {
    toast(error.message);
    return false;
  }
}

export const pause = (job) => tried(() => send("POST", jobPath(job, "/pause")), "Paused: no new round begins.");
export const resume = (job) => tried(() => send("POST", jobPath(job, "/resume")), "Running again.");

export async function stop(job) {
  const sure = await ask("Stop the job?", `No further round of ${job} will be played. This cannot be taken back.`, [], "Stop", true);
  return sure && tried(() => send("POST", jobPath(job, "/stop")), "Stopped.");
}

export async function budget(job, now, currency) {
  const field = { name: "budget", label: `${currency} per round, from the next round on`, attributes: { type: "number", min: "0", step: "any", value: now ?? "" } };
  const given = await ask("Budget", null, [field], "Change");
  return given && tried(() => send("PUT", jobPath(job, "/budget"), { budget: Number(given.budget) }), "Changed from the next round on.");
}

export async function startDemo() {
  if (await tried(() => send("POST", "/v1/playground/demo"), "A simulated job begins.")) location.hash = "#/";
  else location.hash = "#/playground";
}

export const verify = (job) => get(jobPath(job, "/verify"));
export const statement = (job, client) => download(jobPath(job, `/statement?client=${encodeURIComponent(client)}&format=csv`), `${job}-${client}.csv`);
export const exportRows = (job) => download(jobPath(job, "/export?format=csv"), `${job}.csv`);
export const mayOrder = async () => (await me()).role === "operator";

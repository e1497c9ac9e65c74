// A federated-learning server in JavaScript, in small: five selfish clients, ten rounds, every dollar in the ledger.
//
//   lefi serve --ledger jobs.db &
//   node play.mjs http://127.0.0.1:8400 [token]

import { connect } from "./client.mjs";

const [url = "http://127.0.0.1:8400", token] = process.argv.slice(2);
const ROUNDS = 10;
const COST = { ann: 0.02, ben: 0.05, cem: 0.1, dee: 0.2, eve: 0.4 }; // USD per thousand samples, known to each alone
const MOST = 8; // thousand samples that each of them has

const lefi = await connect(url, token);
const job = "javascript";
await lefi.createJob({ job, mechanism: "price", terms: { budget: 1.0, rounds: ROUNDS } });

for (let round = 1; round <= ROUNDS; round += 1) {
  const { clients, offer, budget } = await lefi.openRound({ job, round, clients: Object.keys(COST), iid: 0.8 });
  const { price, limit } = offer.columns;
  // Each client trains on as much as it is paid for, where the price covers its cost. Here the network would be.
  const sizes = clients.map((name, at) => (price[at] > COST[name] ? Math.min(limit[at], MOST) : 0));
  const { paid, units, accuracy } = await lefi.answer({ job, round, sizes });
  const trained = units.filter((own) => own > 0).length;
  console.log(`round ${round}: ${trained} clients trained, paid ${paid} of ${budget} USD, accuracy ${accuracy.toFixed(4)}`);
}

const { total, lines } = await lefi.statement({ job, client: "ann" });
console.log(`ann was paid ${total} USD in ${lines.length} payments`);
const { ok, head } = await lefi.verifyJob({ job });
console.log(`audit: ${ok ? "every payment follows from an offer and an answer" : "SOMETHING IS WRONG"}, head ${head}`);

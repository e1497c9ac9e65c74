// A game of the playground, as something to run elsewhere.
export function command({ scenario, clients, budget, rounds, seed, mechanisms }) {
  return `lefi compare --mechanisms ${mechanisms} --scenario ${scenario} --clients ${clients} --budget ${budget} --rounds ${rounds} --seeds 1 --seed ${seed}`;
}

export function python({ scenario, clients, budget, rounds, seed, mechanisms }, ways) {
  const pays = mechanisms.split(",").map((name) => `    "${name}": "${ways[name]}",`).join("\n");
  return `import lefi

mechanisms = {  # and how each pays
${pays}
}
for name, payment in mechanisms.items():
    market = lefi.scenario("${scenario}", clients=${clients}, budget=${budget}, seed=${seed}, payment=payment)
    mechanism = lefi.make(name, market.terms, seed=${seed})
    for receipt in lefi.play(mechanism, market, ${rounds}, ${seed}):
        print(name, receipt)
`;
}

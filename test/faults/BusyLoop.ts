/** Preloaded into a service: SIGUSR2 keeps its thread busy for 3 s, as a defect in a loop would. */
const busyMs = 3_000

process.on("SIGUSR2", () => {
  const until = Date.now() + busyMs
  while (Date.now() < until);
})

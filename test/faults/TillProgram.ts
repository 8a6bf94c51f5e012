/** A till of 25 lines, which is killed: `TillProgram.ts URL FOLDER FIRST END PLACED_AT` sells the sales FIRST to END − 1. */
import { createClient, Till } from "lotbook/client"
import { folderStore } from "lotbook/client/node"
import { setTimeout as sleep } from "node:timers/promises"
import { cardOf, orderOf, programId, refundEvery, refundOf, rewardEvery, rewardOf } from "./TillSales.ts"

/** Between two sales, ms. Pauses are so many times shorter than a till's, for a run of a minute. */
const gapMs = 60
const hurry = 20

const [url = "", folder = "", first, end, placed] = process.argv.slice(2)
const placedAt = Number(placed)
const say = (...words: ReadonlyArray<string | number>) => process.stdout.write(`${words.join(" ")}\n`)

const till = new Till({
  client: createClient({ url, token: "proto-dev-token" }),
  store: folderStore(folder),
  programId,
  instance: "till-7",
  wait: (ms, signal) => sleep(ms / hurry, undefined, { signal }),
  onEvent: (event) => say("event", event.type, "entry" in event ? event.entry.id : "")
})

const redeem = async (sale: number): Promise<void> => {
  const hold = await till.reserve(rewardOf(sale, placedAt)).catch(() => undefined)
  if (hold === undefined) return say("not_held") as never
  const decision = (sale / rewardEvery) % 4
  if (decision === 0) say("left", hold.reservationId)
  else if (decision === 1) say((await till.reverse(hold, "changed their mind")).outcome, hold.reservationId)
  else say(`capture_${(await till.capture(hold)).outcome}`, hold.reservationId)
}

await till.start()
const rewards: Array<Promise<void>> = []
for (let sale = Number(first); sale < Number(end); sale++) {
  await till.sale({ order: orderOf(sale, placedAt), card: cardOf(sale) })
  if (sale % refundEvery === 0) await till.adjust(refundOf(sale, placedAt))
  say("sold", sale)
  if (sale % rewardEvery === 0) rewards.push(redeem(sale))
  await sleep(gapMs)
}
await Promise.all(rewards)
await till.drained()
await till.stop()
say("done")

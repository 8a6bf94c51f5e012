/** A till of 25 lines, which is killed: `TillProgram.ts URL FOLDER FIRST END PLACED_AT` sells the sales FIRST to END − 1. */
import { createClient, Till } from "lotbook/client"
import { folderStore } from "lotbook/client/node"
import { setTimeout as sleep } from "node:timers/promises"
import { gapMs, hurry, programId, salesOf } from "./TillSales.ts"
import { sellAll } from "./TillSelling.ts"

const [url = "", folder = "", first, end, placed] = process.argv.slice(2)
const say = (...words: ReadonlyArray<string | number>) => process.stdout.write(`${words.join(" ")}\n`)

const till = new Till({
  client: createClient({ url, token: "proto-dev-token" }),
  store: folderStore(folder),
  programId,
  instance: "till-7",
  wait: (ms, signal) => sleep(ms / hurry, undefined, { signal }),
  onEvent: (event) => say("event", event.type, "entry" in event ? event.entry.id : "")
})

await sellAll(till, salesOf(Number(first), Number(end), Number(placed), process.pid), say, gapMs)

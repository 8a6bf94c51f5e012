/** contract/databases.md *Beats of a node*: a node that is cut off from PostgreSQL alone ends soon after it was declared dead. */
import { assert, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import * as TestPostgres from "../TestPostgres.ts"
import { runFolder, until } from "./Processes.ts"
import { Proxy } from "./Proxy.ts"
import { Service } from "./Service.ts"

/** Longest time from the death of a node to the end of its process, ms. */
const endMs = 5_000

it("a node that is cut off from PostgreSQL ends within 5 s of being declared dead", async () => {
  const { folder, remove } = runFolder()
  const closers: Array<() => unknown> = [remove]
  try {
    const { clientConfig, stop } = await TestPostgres.start(path.join(folder, "data"))
    closers.push(stop)
    const proxy = await Proxy.start(clientConfig.port ?? 0)
    closers.push(() => proxy.close())
    const startAt = async (name: string, port: number | undefined) => {
      const own = path.join(folder, name)
      fs.mkdirSync(own)
      const service = await Service.start(own, ["--database-url", TestPostgres.urlOf(clientConfig, port)])
      closers.push(() => service.kill())
      return service
    }
    const left = await startAt("left", clientConfig.port)
    const cut = await startAt("cut", proxy.port)
    proxy.stall()
    await until("it is dead", () => left.eventNames.includes("node_dead"))
    const deadAt = Date.now()
    assert.strictEqual(await cut.end(), 1)
    assert.isBelow(Date.now() - deadAt, endMs, cut.log)
    assert.include(String(cut.logged("stopped")[0]?.["reason"]), "declared", cut.log)
    proxy.resume()
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}, 120_000)

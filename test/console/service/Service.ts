/** The page of the service itself. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import type { It } from "../Console.ts"
import { barriers, Console, narrow, overflow } from "../Console.ts"

export const service = (it: It): void => {
  it.effect("freezes writes after a confirmation, which every page then says, and allows them again on Today", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const { faults, page } = yield* open("/service")
      yield* Effect.promise(async () => {
        await page.getByText("Running since").waitFor()
        await page.getByRole("button", { name: "Freeze writes" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByText("Tills cannot post orders or redeem until you allow writes again").waitFor()
        assert.isTrue(await dialog.getByRole("button", { name: "Freeze writes" }).isDisabled())
        await dialog.getByLabel("Reason").fill("The tills move to another database")
        await dialog.getByRole("button", { name: "Freeze writes" }).click()
        // The service's card says so too, in words of its own.
        await page.getByText("Writes are frozen: nothing can be saved").waitFor()
        // The node freezes before it stores that: the answer comes after both.
        await dialog.waitFor({ state: "hidden" })
      })
      assert.deepStrictEqual(yield* ask("GET", "/admin/api/v1/maintenance"), { write_frozen: true })
      const trail = (yield* ask("GET", "/admin/api/v1/audit?action=freeze.on")) as {
        readonly entries: ReadonlyArray<{ readonly reason?: string }>
      }
      assert.strictEqual(trail.entries[0]?.reason, "The tills move to another database")
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Today", exact: true }).click()
        await page.getByText("Writes are frozen: tills get").waitFor()
        await page.getByRole("button", { name: "Allow writes again" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Reason").fill("The move is done")
        await dialog.getByRole("button", { name: "Allow writes again" }).click()
        await page.getByText("Writes are frozen: tills get").waitFor({ state: "detached" })
        await page.getByRole("link", { name: "Service", exact: true }).click()
        await page.getByText("Tills can post orders and redeem").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("shows the nodes, how much this one forwards beside others, and saves them as a file", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { faults, page } = yield* open("/service", { viewport: narrow })
      const table = page.getByRole("table", { name: "Nodes" })
      yield* Effect.promise(async () => {
        await table.getByRole("cell", { name: /\(this one\)$/ }).waitFor()
        assert.strictEqual(await table.getByRole("row").count(), 2)
        await table.getByRole("cell", { name: "256" }).waitFor()
        assert.strictEqual(await page.getByText("This node forwards").count(), 0)
        assert.isAtMost(await overflow(page), 0)
        const [file] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "CSV: Nodes", exact: true }).click()
        ])
        const [header, node] = (await readFile(await file.path(), "utf8")).split("\r\n")
        assert.strictEqual(header, "\uFEFFAddress,Role,Partitions,Milliseconds since the last beat,Version")
        assert.match(node ?? "", /,256,\d+,/)
        await page.route("**/admin/api/v1/nodes", async (route) => {
          const node = { version: "0.1.0", protocol: 1, role: "node", partitions: 64, beat_age_ms: 120 }
          const nodes = ["10.0.0.5:3300", "10.0.0.6:3300"].map((address, n) => ({
            ...node,
            address,
            id: address,
            is_this: n === 0
          }))
          await route.fulfill({ json: { nodes, partitions: 256, unowned: 128 } })
        })
        await page.reload()
        await table.getByRole("cell", { name: "10.0.0.5:3300 (this one)" }).waitFor()
        assert.strictEqual(await table.getByRole("row").count(), 3)
        await page.getByText("This node forwards about 75 % of its requests").waitFor()
        await page.getByText("128 partitions of accounts have no node.").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )
}

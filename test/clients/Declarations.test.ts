/** The built client as a project has it: its declarations, its imports, and its types beside a generator's. */
import "./Installed.ts"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { openApi } from "../../src/contract/OpenApi.ts"
import * as Generators from "./Generators.ts"

const root = path.join(import.meta.dirname, "..", "..")
const built = path.join(root, ".client")

/** The generator makes an empty object of what a discriminator tells apart. */
const withoutDiscriminators = (document: object): unknown =>
  JSON.parse(JSON.stringify(document), (key, value: unknown) => (key === "discriminator" ? undefined : value))

describe("the built client", () => {
  let folder: string
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-client-"))
    fs.mkdirSync(path.join(folder, "node_modules"))
    fs.symlinkSync(root, path.join(folder, "node_modules", "lotbook"), "junction")
    fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }))
  })
  afterAll(() => fs.rmSync(folder, { recursive: true }))

  it("imports nothing but itself", () => {
    const files = fs
      .readdirSync(built, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:js|d\.ts)$/.test(name))
    assert.isAbove(files.length, 20)
    for (const file of files) {
      const text = fs.readFileSync(path.join(built, file), "utf8")
      const names = [...text.matchAll(/(?:\bfrom |\bimport\(|^import )"([^"]+)"/gm)].map(([, name = ""]) => name)
      for (const name of names) {
        if (file.startsWith(`node${path.sep}`) && name.startsWith("node:")) continue
        const to = path.join(built, path.dirname(file), name)
        assert.isTrue(name.startsWith(".") && to.endsWith(".js") && fs.existsSync(to), `${file} imports ${name}`)
      }
    }
  })

  it("has declarations for a bare strict project, without the types of Node", async () => {
    fs.writeFileSync(
      path.join(folder, "use.ts"),
      `import { buildOrder, buildRefund, createClient, LotbookError, ProblemError, Till, type Wire } from "lotbook/client"
const client = createClient({ url: "http://127.0.0.1:3210", token: async () => "token" })
const identity: Wire.Identity = { type: "loyalty_id", value: "card" }
const found = await client.proto.member.lookup({ program_id: "p", identity }, { signal: AbortSignal.timeout(1) })
const member: string = found.member?.member_id ?? ""
for await (const { joined_at } of client.admin.member.list.all({ status: "active" })) joined_at.toUpperCase()
const table: string = await client.platform.customerProfile.export()
const store = { open: async () => ({ entries: [], damaged: [] }), put: async () => {}, remove: async () => {}, close: async () => {} }
const till = new Till({ client, store, programId: "p" })
const basket = {
  order_id: "o-1",
  scope: { program_id: "p", brand_id: "b", merchant_id: "m", location_id: "l" },
  channel: "counter", currency: "EUR", zone: "Europe/Berlin", placed_at: new Date(), tax: "included", total: "11.90",
  lines: [{
    product_id: "bowl", quantity: 2, unit_price: "5.95", tax: (gross: number) => Math.round((gross * 19) / 119),
    modifiers: [{ product_id: "egg", unit_price: 0, per_item: true }]
  }]
} as const
const card = { type: "loyalty_id", value: "card" } as const
const hold = await till.reserve({ redemptionId: "r", rewardId: "one-off", order: buildOrder({ ...basket, status: "authorized" }), card })
const order = buildOrder({ ...basket, status: "paid", rewards: [hold.effect] })
const sold = await (await till.sale({ order, card })).outcome
if (sold.outcome === "posted") sold.answer.entry.amount.toFixed()
const captured = await till.capture(hold)
if (captured.outcome === "captured") captured.answer.reservation.reservation_id.toUpperCase()
const { program } = await client.proto.program.get({ program_id: "p" })
const adjustment = buildRefund({ order, program, adjustment_id: "a", reason: "cold", occurred_at: new Date(), lines: [{ line_id: "1", quantity: 1 }] })
const refunded = await (await till.adjust({ card, adjustment })).outcome
if (refunded.outcome === "posted") refunded.answer.entry.amount.toFixed()
await client.proto.order.adjust({ member_id: "m", program_id: "p", adjustment })
// @ts-expect-error: the identity is missing
await client.proto.member.lookup({ program_id: table })
// @ts-expect-error: this is no status
client.admin.member.list({ status: "sleeping" })
// @ts-expect-error: there is no such operation
client.admin.member.forget()
const raw = await client.request<Wire.MemberLookupOutput>({ method: "POST", path: "/proto/v1/members/lookup" })
raw.body.member?.member_id.toUpperCase()
try {
  await client.request({ method: "GET", path: member })
} catch (error) {
  if (error instanceof ProblemError && error.problem.code === "limit_exceeded") error.problem.limit.left.toFixed()
  // @ts-expect-error: this is no code
  if (error instanceof LotbookError && error.code === "not_a_code") throw error
}
`
    )
    const options = { module: "nodenext", moduleResolution: "nodenext", lib: undefined, skipLibCheck: false }
    for (const compiler of Generators.compilers)
      for (const exactOptionalPropertyTypes of [false, true]) {
        const errors = await Generators.errorsOf(
          folder,
          ["use.ts"],
          { ...options, exactOptionalPropertyTypes },
          compiler
        )
        assert.strictEqual(errors, "")
      }
  })

  it("has the types that openapi-typescript makes of the document, in other words", async () => {
    const document = withoutDiscriminators(openApi()) as {
      readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
    }
    await Generators.types(document, folder)
    const names = Object.keys(document.components.schemas)
    const lines = names.map((name) => `both<Wire.${name}, Deep<components["schemas"]["${name}"]>>()`)
    fs.writeFileSync(
      path.join(folder, "same.ts"),
      `import type { Wire } from "lotbook/client"
import type { components } from "./types.ts"
type Deep<T> = unknown extends T ? T : T extends string | number | boolean | null | undefined ? T
  : T extends ReadonlyArray<infer One> ? ReadonlyArray<Deep<One>>
  : { readonly [Key in keyof T]: Deep<T[Key]> }
declare const both: <A extends B, B extends C, C = A>() => void
${lines.join("\n")}
`
    )
    assert.strictEqual(await Generators.errorsOf(folder, ["same.ts"], { allowImportingTsExtensions: true }), "")
  })
})

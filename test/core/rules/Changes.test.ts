import { describe, expect, it } from "@effect/vitest"
import { nothingInUse } from "../../../src/capabilities/programs/ProgramUse.ts"
import { said } from "../../../src/contract/Said.ts"
import type { InUse } from "../../../src/core/rules/Changes.ts"
import { blocking, changes, checksum } from "../../../src/core/rules/Changes.ts"
import type { Json } from "./Builders.ts"
import { program, usd } from "./Builders.ts"

const before = program().file
const changedTo = (change: (json: Json) => void) => program(change).file

describe("changes of a definition", () => {
  it.each<[what: string, change: (json: Json) => void, expected: ReadonlyArray<object>]>([
    ["nothing", () => {}, []],
    ["a value", (p) => (p["name"] = "Other"), [{ path: "/name", from: "Programme", to: "Other" }]],
    ["something new", (p) => (p["description"] = "d"), [{ path: "/description", to: "d" }]],
    ["something gone", (p) => delete p["limits"], [{ path: "/limits", from: { reservation_ttl_seconds: 60 } }]],
    [
      "a deep value, at its place in the new definition",
      (p) => {
        p["tiers"].reverse()
        p["tiers"][1].minimum = 500
      },
      [
        { path: "/tiers/1/minimum", from: 700, to: 500 },
        { path: "/tiers", from: ["gold", "base"], to: ["base", "gold"] }
      ]
    ],
    [
      "an item gone, at its place in the old definition",
      (p) => p["rewards"].splice(2, 1),
      [{ path: "/rewards/2", from: before.rewards[2] }]
    ],
    [
      "an item new, in front of the others",
      (p) => p["tiers"][1].benefits.unshift({ benefit_id: "b0", name: "B0" }),
      [{ path: "/tiers/1/benefits/0", to: { benefit_id: "b0", name: "B0" } }]
    ],
    [
      "a list without keys, whole",
      (p) => p["earning"].eligible_channels.push("web"),
      [{ path: "/earning/eligible_channels", from: ["counter", "mobile"], to: ["counter", "mobile", "web"] }]
    ],
    [
      "free-form values, whole",
      (p) => {
        p["metadata"] = { rewards: [1], "a/b": 2 }
        p["rewards"][2].effect.payload = { rewards: [1] }
      },
      [
        { path: "/rewards/2/effect/payload", from: null, to: { rewards: [1] } },
        { path: "/metadata", to: { rewards: [1], "a/b": 2 } }
      ]
    ]
  ])("%s", (_, change, expected) => {
    expect(changes(before, changedTo(change))).toEqual(expected)
  })

  it("the order of properties means nothing, neither to changes nor to the checksum", () => {
    const metadata = (json: Json) => (p: Json) => (p["metadata"] = json)
    const one = changedTo(metadata({ a: { b: 1, c: [1, 2] }, d: 2 }))
    const other = changedTo(metadata({ d: 2, a: { c: [1, 2], b: 1 } }))
    expect(changes(one, other)).toEqual([])
    expect(checksum(one)).toBe(checksum(other))
    expect(checksum(one)).not.toBe(checksum(changedTo(metadata({ a: { b: 1, c: [2, 1] }, d: 2 }))))
  })
})

describe("blocking changes (contract/programmes.md *Blocking changes*)", () => {
  const inUse = (more: Partial<InUse>): InUse => ({ ...nothingInUse, ...more })
  const withoutStamps = changedTo((p) => {
    p["accounts"].shift()
    p["account_earning"].splice(1, 1)
    p["rewards"].splice(1, 1)
    delete p["stamp_card"]
  })
  const paths = (to: typeof before, use: InUse) => blocking(before, to, use).map(({ path }) => path)

  it("the currency", () => {
    const file = { ...before, currency: "EUR" }
    expect(blocking(before, file, nothingInUse)).toEqual([
      { path: "/currency", ...said`must stay ${"USD"}, the currency in force` }
    ])
  })

  it("the primary account", () => {
    const file = {
      ...before,
      accounts: before.accounts.map((account) => ({ ...account, is_primary: account.unit === "credits" }))
    }
    expect(blocking(before, file, nothingInUse)).toEqual([
      { path: "/accounts", ...said`must keep ${"points"} as the primary account` }
    ])
  })

  it("removing an account while members have something on it, or a reward that is held or issued", () => {
    expect(paths(withoutStamps, nothingInUse)).toEqual([])
    expect(paths(withoutStamps, inUse({ units: new Set(["points"]), held: new Set(["off"]) }))).toEqual([])
    expect(paths(withoutStamps, inUse({ units: new Set(["stamps"]) }))).toEqual(["/accounts"])
    expect(paths(withoutStamps, inUse({ held: new Set(["free"]) }))).toEqual(["/rewards"])
    expect(paths(withoutStamps, inUse({ issued: new Set(["free"]) }))).toEqual(["/rewards"])
  })

  it("nothing else: earning, tiers, names, new accounts and rewards", () => {
    const file = changedTo((p) => {
      p["name"] = "Other"
      p["earning"].rate.amount = 20
      p["account_earning"][2].amount = 20
      p["tiers"].shift()
      p["accounts"].push({ unit: "visits", is_primary: false })
      p["rewards"][0].cost.amount = 1
      p["rewards"][0].effect = { type: "free_item", max_quantity: 1, max_value: usd(1) }
    })
    const all = new Set(["off", "free", "extra", "points", "stamps", "credits"])
    expect(blocking(before, file, { units: all, held: all, issued: all, granted: all })).toEqual([])
  })
})

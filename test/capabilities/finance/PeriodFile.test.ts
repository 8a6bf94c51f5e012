/** A closed month as one file (contract/finance.md *The file of a month*). */
import { assert, describe, it } from "@effect/vitest"
import { strFromU8, unzipSync } from "fflate"
import { hash } from "node:crypto"
import { crc32 } from "node:zlib"
import { periodFile, periodFileName } from "../../../src/capabilities/finance/PeriodFile.ts"
import type { ClosedMonth, PointValueSince, Row } from "../../../src/contract/admin/Finance.ts"

const worth = (amount: number) => ({ amount, currency: "EUR" })
const row: Row = {
  unit: "points",
  opening: { points: 10, worth: worth(40) },
  lines: [
    { line: "late", points: 5, worth: worth(20) },
    { line: "redeemed", points: -6, worth: worth(-24) }
  ],
  late: [{ line: "base", points: 5 }],
  closing: { points: 9, worth: worth(36) },
  below_zero: -1,
  below_zero_worth: worth(-4),
  redeemed_here: -6,
  given_back_here: 0
}
const month: ClosedMonth = {
  period: "2026-10",
  closed_at: "2026-11-02T08:00:00.000Z",
  closed_by: "Bo Keeper",
  sha256: "ab".repeat(32),
  statement: {
    format: 1,
    program_id: "corner-bowl",
    period: "2026-10",
    time_zone: "Europe/Berlin",
    program_version: 3,
    position: { epoch: 1, transaction: "742", account: 12, seq: 4 },
    head: "cd".repeat(32),
    rows: [row],
    places: [{ ...row, location_id: "=west" }],
    franchisees: [{ ...row, franchisee_id: "ada-foods" }],
    rewards: [{ reward_id: "bowl", in_wallets: 2, given: 1, used: 0, value: worth(1_200) }],
    cohorts: [{ unit: "points", earned: "2026-09", issued: 20, redeemed: -6, expired: -4, other: -1, open: 9 }]
  }
}

const values: ReadonlyArray<PointValueSince> = [
  {},
  { since: "2026-10-03", value: { points: 100, worth: worth(85) } },
  { since: "2026-10-20" }
]

/** The check sums of the tables, as the archive's directory has them. */
const sumsIn = (file: Uint8Array): ReadonlyArray<number> => {
  const view = new DataView(file.buffer)
  const found: Array<number> = []
  for (let at = view.getUint32(file.length - 6, true); view.getUint32(at, true) === 0x02014b50; ) {
    found.push(view.getUint32(at + 16, true))
    at += 46 + view.getUint16(at + 28, true)
  }
  return found
}

const linesIn = (file: Uint8Array): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(
    Object.entries(unzipSync(file)).map(([name, bytes]) => [name, strFromU8(bytes).trimEnd().split("\r\n")])
  )

describe("the file of a closed month", () => {
  it("has a table for each part of the statement, and one that says what it is", () => {
    assert.strictEqual(periodFileName(month), "lotbook-corner-bowl-2026-10.zip")
    const { "about.csv": about, "restaurants.csv": restaurants, ...tables } = linesIn(periodFile(month, values))
    assert.includeMembers(about as Array<string>, [
      ...["period,2026-10", "closed_by,Bo Keeper", "format,1", "position_transaction,742"],
      ...[`sha256,${"ab".repeat(32)}`, `head,${"cd".repeat(32)}`],
      ...["point_value,none", "point_value since 2026-10-03,100 points = 0.85 EUR", "point_value since 2026-10-20,none"]
    ])
    // A spreadsheet takes no id for a formula.
    assert.strictEqual(restaurants?.[1], "points,'=west,opening,10,0.40,EUR")
    assert.deepStrictEqual(tables, {
      "statement.csv": [
        ...["unit,line,points,worth,currency", "points,opening,10,0.40,EUR", "points,late,5,0.20,EUR"],
        ...["points,redeemed,-6,-0.24,EUR", "points,closing,9,0.36,EUR", "points,late: base,5,,"],
        ...["points,below_zero,-1,-0.04,EUR", "points,redeemed_here,-6,,", "points,given_back_here,0,,"]
      ],
      "franchisees.csv": [
        "unit,franchisee_id,line,points,worth,currency",
        ...["points,ada-foods,opening,10,0.40,EUR", "points,ada-foods,late,5,0.20,EUR"],
        ...["points,ada-foods,redeemed,-6,-0.24,EUR", "points,ada-foods,closing,9,0.36,EUR"],
        ...["points,ada-foods,late: base,5,,", "points,ada-foods,below_zero,-1,-0.04,EUR"],
        ...["points,ada-foods,redeemed_here,-6,,", "points,ada-foods,given_back_here,0,,"]
      ],
      "rewards.csv": ["reward_id,in_wallets,given,used,value,currency", "bowl,2,1,0,12.00,EUR"],
      "cohorts.csv": ["unit,earned,issued,redeemed,expired,other,open", "points,2026-09,20,-6,-4,-1,9"]
    })
  })

  it("has money with every decimal of its currency", () => {
    const of = (amount: number, currency: string) => {
      const rewards = [{ reward_id: "bowl", in_wallets: 1, given: 0, used: 0, value: { amount, currency } }]
      return linesIn(periodFile({ ...month, statement: { ...month.statement, rewards } }, values))["rewards.csv"]?.[1]
    }
    assert.strictEqual(of(900_000_000_000_010, "EUR"), "bowl,1,0,0,9000000000000.10,EUR")
    assert.strictEqual(of(1_200, "JPY"), "bowl,1,0,0,1200,JPY")
  })

  it("has the same bytes each time", () => {
    assert.strictEqual(
      hash("sha256", periodFile(month, values)),
      hash("sha256", periodFile(structuredClone(month), values))
    )
    const file = periodFile(month, values)
    assert.deepStrictEqual(
      sumsIn(file),
      Object.values(unzipSync(file)).map((table) => crc32(table))
    )
    // The time of each part is the first of January 1980, 0:00, in every zone.
    assert.deepStrictEqual([...file.subarray(10, 14)], [0, 0, 0x21, 0])
  })
})

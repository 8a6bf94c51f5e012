/** Programmes of random histories: zones whose clocks change at midnight, by half an hour or never, two values of a point. */
import { Effect } from "effect"
import type { Facts } from "../../../src/capabilities/finance/RollForwardReads.ts"
import * as Reads from "../../../src/capabilities/finance/RollForwardReads.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import type { Json } from "../../core/rules/Builders.ts"
import { definitions } from "../../journals/Definitions.ts"
import { programOf } from "../../journals/Journals.ts"

/** Versions of one programme. */
export interface HistoryProgram {
  readonly id: string
  readonly versions: ReadonlyArray<Program>
  readonly zones: ReadonlyArray<string>
  /** When each was published, ms. */
  readonly published: ReadonlyArray<number>
}

/** The zones of both versions. */
const zones = [
  ["America/New_York", "America/New_York"],
  ["Europe/Berlin", "Europe/Berlin"],
  ["Australia/Lord_Howe", "Australia/Lord_Howe"],
  ["America/Santiago", "America/Santiago"],
  ["Asia/Kathmandu", "Asia/Kathmandu"],
  ["America/Havana", "America/Havana"],
  ["Pacific/Kiritimati", "Pacific/Pago_Pago"],
  ["UTC", "Africa/Cairo"]
] as const

const expirations = [
  { type: "after_earned", days: 30, at: "end_of_day", warning_days: [] },
  { type: "after_earned", months: 2, at: "end_of_month", warning_days: [] }
]

const cents = (points: number, amount: number) => ({ points, worth: { amount, currency: "USD" } })

/** In the zone of a version; every other programme expires at midnight. */
const definitionOf = (id: string, place: number, version: number): Json => {
  const versions = definitions[place % definitions.length]!
  const json: Json = structuredClone(versions[Math.min(version, versions.length - 1)]!)
  json["program_id"] = id
  json["time_zone"] = zones[place]![version]
  if (json["tier_policy"] !== undefined) json["tier_policy"]["period"]["time_zone"] = zones[place]![version]
  json["point_value"] = version === 0 ? cents(3, 10) : cents(7, 25)
  if (place >= definitions.length) json["point_expiration"] = expirations[place % expirations.length]
  return json
}

export const programs: ReadonlyArray<HistoryProgram> = zones.map((own, place) => {
  const id = `finance-${place}`
  return {
    id,
    versions: [0, 1].map((version) => ({ ...programOf(definitionOf(id, place, version)), version: version + 1 })),
    zones: own,
    published: [Date.UTC(2025, 0, 1), Date.UTC(2026, 2, 10, 3)]
  }
})

/** The facts of a programme, as out of its table. */
export const factsOf = ({ id, published, versions }: HistoryProgram): Facts =>
  Effect.runSync(
    Reads.facts(
      () =>
        Effect.succeed(
          versions.map(({ file, version }, place) => ({ version, publishedAt: published[place]!, definition: file }))
        ),
      id
    )
  )

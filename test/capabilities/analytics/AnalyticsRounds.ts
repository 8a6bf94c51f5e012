/** A random history of two programmes, and random questions about it, each answered by the sums and by hand. */

import { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { Database } from "../../../src/base/database/Database.ts"
import * as Analytics from "../../../src/capabilities/analytics/Analytics.ts"
import type { Analytics as Answer } from "../../../src/contract/platform/Analytics.ts"
import { maxRangeDays } from "../../../src/contract/platform/Analytics.ts"
import { fromMillis } from "../../../src/contract/Values.ts"
import type { StoredRecord } from "../../../src/core/journal/Records.ts"
import { Feed } from "../../../src/reads/feed/Feed.ts"
import * as Position from "../../../src/reads/feed/Position.ts"
import type { Random } from "../../model/Random.ts"
import { demo, stamps, start, type Traffic } from "../../reads/rollups/Traffic.ts"
import type { Told } from "./AnalyticsModel.ts"
import * as Model from "./AnalyticsModel.ts"

const day = 86_400_000
const zones = Intl.supportedValuesOf("timeZone")
/** Zones whose offsets are not whole hours, change by half an hour, or change at midnight. */
const awkward = ["Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Chatham", "America/Havana", "America/New_York"]

/** Every record, page by page. */
export const readAll = Effect.gen(function* () {
  const feed = yield* Feed
  const records: Array<StoredRecord> = []
  for (let after = Position.beginning; ; ) {
    const page = yield* feed.read(after, 2_000)
    records.push(...page)
    const last = page.at(-1)
    if (last === undefined) return records
    after = last.position
  }
})

/** Behaviour events of members, at any time of the history. */
export const tell = Effect.fnUntraced(function* (random: Random, { members, now }: Traffic, howMany: number) {
  const told: Array<Told> = Array.from({ length: howMany }, () => {
    const { account, program } = random.pick(members)
    return {
      program: program.id,
      account,
      type: random.pick(["app.opened", "menu.viewed", "Menu.viewed"]),
      at: random.whole(start, now),
      location: random.next() < 0.3 ? undefined : `location-${random.whole(0, 1)}`
    }
  })
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make(clientConfig)
  yield* connection.query(
    `INSERT INTO behaviour (key, fingerprint, event_id, program_id, account, member_id, type, occurred_at, recorded_at, location_id)
      SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid()::text, program, account, '', type, at, at, location
      FROM json_to_recordset('${JSON.stringify(told)}') e(program text, account bigint, type text, at bigint, location text)`
  )
  return told
}, Effect.scoped)

/** Asks at random; returns both answers of each question. */
export const ask = Effect.fnUntraced(function* (
  random: Random,
  traffic: Traffic,
  told: ReadonlyArray<Told>,
  questions: number,
  found: (question: Analytics.Question, answer: Answer, byHand: ReturnType<typeof Model.count>) => void
) {
  const { answer } = yield* Analytics.make
  const records = yield* readAll
  const states = new Map(traffic.members.map(({ account, state }) => [account, state]))
  const some = <A>(value: A): A | undefined => (random.next() < 0.5 ? value : undefined)
  const worlds = [demo, stamps].map((program) => Model.worldOf(program, records, states, told))
  const span = traffic.now - start
  for (let round = 0; round < questions; round++) {
    const world = random.pick(worlds)
    const { program } = world
    const from = start - 2 * day + random.whole(0, span)
    const longest = Math.min(span, (maxRangeDays - 1) * day)
    const until = from + random.pick([1, 900_000, day, 10 * day, longest]) + random.whole(0, day)
    const question = yield* Analytics.questionOf(
      program,
      {
        ...(random.next() < 0.1 ? undefined : { from: fromMillis(from) }),
        until: fromMillis(until),
        bucket: random.pick(["day", "week", "month"]),
        day: random.pick(["posted", "business"]),
        time_zone: random.next() < 0.5 ? random.pick(awkward) : random.pick(zones),
        ...(random.next() < 0.4 ? { location_id: `location-${random.whole(0, 3)}` } : undefined)
      },
      some(traffic.now) ?? random.whole(start, traffic.now + 100 * day)
    )
    found(question, yield* answer(program, question), Model.count(world, question))
  }
})

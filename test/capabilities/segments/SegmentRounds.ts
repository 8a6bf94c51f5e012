/** Profiles, consent and events for a random history, random rules, and who matches these by SQL and by hand. */

import type { PgTypes } from "@effect/sql-pg"
import { PgConnection } from "@effect/sql-pg"
import { Effect, Result } from "effect"
import { Database } from "../../../src/base/database/Database.ts"
import { PeoplePool } from "../../../src/base/database/Pools.ts"
import * as Audience from "../../../src/capabilities/segments/Audience.ts"
import { conditionsOf, referencesOf, ruleOf } from "../../../src/capabilities/segments/Rules.ts"
import * as Store from "../../../src/capabilities/segments/SegmentStore.ts"
import type { Rules } from "../../../src/contract/platform/Rules.ts"
import { decodeRules } from "../../../src/contract/platform/Rules.ts"
import * as Lots from "../../../src/core/account/domain/Lots.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import type { Random } from "../../model/Random.ts"
import { demo, type Member, stamps, start, type Traffic } from "../../reads/rollups/Traffic.ts"
import * as AnalyticsModel from "../analytics/AnalyticsModel.ts"
import { readAll } from "../analytics/AnalyticsRounds.ts"
import type { Person, Told, World } from "./SegmentModel.ts"
import * as Model from "./SegmentModel.ts"

const day = 86_400_000
const types = ["app.opened", "menu.viewed", "Menu.viewed"]
const channels = ["", "email", "sms"]
const values = ["a", "A", "1", 1, 1.5, 0, true, false, ""]

const merged = ({ merged: inner }: Member): ReadonlyArray<Member> => inner.flatMap((one) => [one, ...merged(one)])

const birthOf = (random: Random): string => {
  const date = random.next() < 0.15 ? "02-29" : new Date(start + random.whole(0, 364) * day).toISOString().slice(5, 10)
  return `${date === "02-29" ? 2004 : random.whole(1950, 2010)}-${date}`
}

const attributesOf = (random: Random) =>
  Object.fromEntries(
    ["colour", "size", "it's"].flatMap((name) => (random.next() < 0.6 ? [[name, random.pick(values)]] : []))
  )

/** Facts of a member beside its account. Absent, null and false differ. */
const personOf = (random: Random, member: Member, gone: ReadonlySet<number>): Person => {
  const { account, name, program, state } = member
  const isErased = state.status === "closed" && random.next() < 0.3
  const maybe = <A>(share: number, make: () => A): A | undefined => {
    const isThere = random.next() < share
    const made = make()
    return isThere && !isErased && !gone.has(account) ? made : undefined
  }
  const consents = new Map<string, boolean>()
  for (const purpose of ["marketing", "analytics"])
    for (const channel of channels) {
      const granted = maybe(0.4, () => random.next() < 0.6)
      if (granted !== undefined) consents.set(`${purpose} ${channel}`, granted)
    }
  return {
    account,
    name,
    program,
    state,
    accounts: new Set([account, ...merged(member).map((one) => one.account)]),
    isErased,
    email: maybe(0.5, () => `${name}@example.org`),
    phone: maybe(0.3, () => "+4915112345678"),
    birth: maybe(0.6, () => birthOf(random)),
    attributes: maybe(0.7, () => attributesOf(random)),
    consents
  }
}

const toldOf = (random: Random, { members, now }: Traffic): Told => ({
  account: random.pick(members).account,
  type: random.pick(types),
  // Some are said to have happened in the future.
  at: random.whole(start, now + 5 * day),
  value: random.next() < 0.5 ? undefined : random.whole(0, 3_000),
  currency: random.pick(["USD", "EUR"]),
  properties: random.next() < 0.5 ? undefined : attributesOf(random)
})

/** Writes what the tables have of people and events. */
const write = Effect.fnUntraced(function* (people: ReadonlyArray<Person>, told: ReadonlyArray<Told>) {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make(clientConfig)
  const rows = (values: ReadonlyArray<unknown>) =>
    `json_to_recordset('${JSON.stringify(values).replaceAll("'", "''")}')`
  const profiles = people.filter(({ birth, email, phone }) =>
    [birth, email, phone].some((value) => value !== undefined)
  )
  yield* connection.query(
    `INSERT INTO profiles (account, program_id, member_id, email, phone, birth_date, created_at, updated_at)
      SELECT a.number, a.program_id, a.member_id, p.email, p.phone, p.birth, 0, 0
      FROM ${rows(profiles)} p(account bigint, email text, phone text, birth date) JOIN accounts a ON a.number = p.account`
  )
  yield* connection.query(
    `UPDATE members m SET attributes = p.attributes
      FROM ${rows(people)} p(account bigint, attributes jsonb) WHERE m.account = p.account`
  )
  const consents = people.flatMap(({ account, consents }) =>
    [...consents].map(([key, granted]) => ({
      account,
      purpose: key.split(" ")[0],
      channel: key.split(" ")[1],
      granted
    }))
  )
  yield* connection.query(
    `INSERT INTO current_consents (account, purpose, channel, granted, recorded_at)
      SELECT account, purpose, channel, granted, 0
      FROM ${rows(consents)} c(account bigint, purpose text, channel text, granted boolean)`
  )
  yield* connection.query(
    `INSERT INTO erasures (account, program_id, member_id, at, reason)
      SELECT a.number, a.program_id, a.member_id, 0, 'test'
      FROM ${rows(people.filter(({ isErased }) => isErased))} p(account bigint) JOIN accounts a ON a.number = p.account`
  )
  yield* connection.query(
    `INSERT INTO behaviour (key, fingerprint, event_id, program_id, account, member_id, type, occurred_at, recorded_at, value,
        currency, properties)
      SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid()::text, a.program_id, a.number, a.member_id, e.type, e.at,
        0, e.value, CASE WHEN e.value IS NOT NULL THEN e.currency END, e.properties
      FROM ${rows(told)} e(account bigint, type text, at bigint, value bigint, currency text, properties jsonb)
        JOIN accounts a ON a.number = e.account`
  )
}, Effect.scoped)

/** Facts of a traffic's members, in the tables and as the model reads them. */
export const worldOf = Effect.fnUntraced(function* (random: Random, traffic: Traffic, events: number) {
  const gone = new Set(traffic.members.flatMap(({ merged: inner }) => inner.map(({ account }) => account)))
  const people = traffic.members.map((member) => personOf(random, member, gone))
  const told = Array.from({ length: events }, () => toldOf(random, traffic))
  yield* write(people, told)
  const records = yield* readAll
  const states = new Map(traffic.members.map(({ account, state }) => [account, state]))
  const orders = [demo, stamps].flatMap((program) => AnalyticsModel.worldOf(program, records, states, []).orders)
  const segments = yield* segmentsOf(random, people)
  return { people, told, orders, segments, now: traffic.now } satisfies World
})

export const decoded = (rules: unknown): Rules => Result.getOrThrow(decodeRules(rules))

/** Segments of both programmes, some lists and some rules, and some that name others. */
const segmentsOf = Effect.fnUntraced(function* (random: Random, people: ReadonlyArray<Person>) {
  const { query } = yield* PeoplePool
  const segments = new Map<string, Rules | ReadonlyArray<number>>()
  for (const program of [demo, stamps]) {
    for (let n = 0; n < 6; n++) {
      const id = `${program.id}-${n}`
      const accounts = people
        .filter((person) => person.program === program && random.next() < 0.3)
        .map(({ account }) => account)
      const rules = n < 2 ? undefined : decoded(rulesOf(random, program, n, 2))
      const rule = rules === undefined ? undefined : ruleOf(rules)
      segments.set(id, rules ?? accounts)
      yield* Store.put(
        query,
        {
          id,
          program: program.id,
          name: id,
          rules,
          conditions: rule === undefined ? 0 : conditionsOf(rule).length,
          references: rule === undefined ? [] : referencesOf(rule),
          accounts: rule === undefined ? accounts : []
        },
        0
      )
    }
  }
  return segments
})

const days = (random: Random) => random.pick([1, 2, 7, 30, 90, 365])

/** Every rule in every spelling; `named`: how many segments of the programme it may name. */
const leaves: ReadonlyArray<(random: Random, program: Program, named: number) => object> = [
  (random) => ({ status: random.pick([["active"], ["closed"], ["active", "suspended"], ["suspended", "closed"]]) }),
  (random) => ({ statuses: [random.pick(["active", "suspended", "closed"])] }),
  (random, { tiers }) => ({ tier: [random.pick([...tiers.map(({ tier_id }) => tier_id), "none"])] }),
  (random, { tiers }) => ({ tier_ids: ["none", ...tiers.map(({ tier_id }) => tier_id).slice(random.whole(0, 1))] }),
  (random, { accounts }) => ({
    balance: {
      ...(random.next() < 0.5 ? { unit: random.pick(accounts).unit } : {}),
      ...(random.next() < 0.5
        ? { at_least: random.whole(-50, 600) }
        : { at_most: random.whole(-50, 600), at_least: random.pick([-9_999, 0, 1]) })
    }
  }),
  (random) => ({ minimum_available_balance: random.whole(-50, 600) }),
  (random) => ({
    consent: {
      purpose: random.pick(["marketing", "analytics", "other"]),
      ...(random.next() < 0.5 ? { channel: random.pick(["email", "sms", "push"]) } : {})
    }
  }),
  (random) => ({ has: random.pick(["email", "phone", "birth_date"]) }),
  (random) => ({ attribute: { name: random.pick(["colour", "size", "it's"]), equals: random.pick(values) } }),
  (random) => ({ attribute: { name: "colour", in: [random.pick(values), random.pick(values)] } }),
  (random) => ({ attributes: { [random.pick(["colour", "size"])]: random.pick(values) } }),
  (random) => ({
    profile: {
      ...(random.next() < 0.5 ? { has_email: random.next() < 0.5 } : { has_phone: random.next() < 0.5 }),
      ...(random.next() < 0.5 ? { marketing_consent: random.next() < 0.5 } : {}),
      ...(random.next() < 0.3 ? { attributes: { size: random.pick(values) } } : {})
    }
  }),
  (random) => ({
    event: {
      type: random.pick(types),
      ...(random.next() < 0.5 ? { minimum_count: random.whole(1, 3) } : {}),
      ...(random.next() < 0.5 ? { within_days: days(random) } : {}),
      ...(random.next() < 0.3 ? { property: { name: "colour", equals: random.pick(values) } } : {}),
      ...(random.next() < 0.3 ? { minimum_value: random.whole(0, 2_000) } : {})
    }
  }),
  (random) => ({
    order: {
      ...(random.next() < 0.5 ? { minimum_count: random.whole(1, 5) } : {}),
      ...(random.next() < 0.5 ? { minimum_spend: random.whole(0, 60_000) } : {}),
      ...(random.next() < 0.5 ? { within_days: days(random) } : {}),
      ...(random.next() < 0.3 ? { location_id: random.pick(["location-1", "nowhere"]) } : {})
    }
  }),
  (random) => ({ inactive_days: days(random) }),
  (random) => ({ joined_within_days: days(random) }),
  (random) => ({ birthday_within_days: random.pick([0, 1, 7, 30, 90, 365, 366]) }),
  (random, { accounts }) => ({
    expiring: {
      amount: random.whole(1, 300),
      within_days: days(random) * random.pick([1, 3]),
      ...(random.next() < 0.3 ? { unit: random.pick(accounts).unit } : {})
    }
  }),
  (random, { id }, named) =>
    named === 0 ? { status: ["active"] } : { in_segment: `${id}-${random.whole(0, named - 1)}` }
]

/** Random rules, nested up to `depth` levels of combinators. */
const rulesOf = (random: Random, program: Program, named: number, depth: number): object => {
  const inner = () => rulesOf(random, program, named, depth - 1)
  const chance = depth === 0 ? 1 : random.next()
  if (chance < 0.15) return { not: inner() }
  if (chance < 0.35) return { all: Array.from({ length: random.whole(1, 3) }, inner) }
  if (chance < 0.55) return { any: Array.from({ length: random.whole(1, 3) }, inner) }
  const one = random.pick(leaves)(random, program, named)
  // Several rules of one object all hold.
  return random.next() < 0.15 ? { ...random.pick(leaves)(random, program, named), ...one } : one
}

/** An instant at which a window of some days begins or ends, or one beside it. */
const instantOf = (random: Random, { now, orders, people, told }: World): number => {
  const lots: Array<number> = []
  const person = random.pick(people)
  for (const { lots: held } of person.state.units)
    Lots.each(
      held,
      (_, __, expires) => {
        if (expires !== Infinity) lots.push(expires - days(random) * day)
      },
      person.state.idle
    )
  const others = [random.pick(orders).at, random.pick(told).at, person.state.joined].map(
    (at) => at + days(random) * day
  )
  const at = random.next() < 0.2 ? now : random.pick([...others, ...lots])
  return Math.max(start, at + random.pick([-1, 0, 0, 1]))
}

/** Members that match, in the tables. */
export const found = Effect.fnUntraced(function* (program: Program, rules: Rules, now: number) {
  const { query } = yield* PeoplePool
  const audience = yield* Audience.ofRule(query, program, ruleOf(rules))
  const parameters: Array<PgTypes.Parameter> = []
  const members = Audience.membersOf(audience, now, (parameter) => `$${parameters.push(parameter)}`)
  const rows = yield* query(`SELECT m.member_id FROM (${members}) m`, parameters)
  return rows.map((row) => String(row["member_id"])).toSorted()
})

/** Asks for members at random; tells who was found and who matches by hand. */
export const ask = Effect.fnUntraced(function* (
  random: Random,
  world: World,
  rounds: number,
  told: (
    asked: { rules: Rules; program: Program; now: number },
    sql: ReadonlyArray<string>,
    byHand: ReadonlyArray<string>
  ) => void
) {
  for (let round = 0; round < rounds; round++) {
    const program = random.pick([demo, demo, stamps])
    const rules = decoded(
      round < leaves.length * 4
        ? // Each rule alone, and negated.
          [leaves[round % leaves.length]!(random, program, 6)].map((one) => (round % 8 < 4 ? one : { not: one }))[0]
        : rulesOf(random, program, 6, 3)
    )
    const now = instantOf(random, world)
    told({ rules, program, now }, yield* found(program, rules, now), Model.matching(program, rules, { ...world, now }))
  }
})

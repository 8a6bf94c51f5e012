/**
 * The operators' routes of connections (contract/tills.md *Connections*). A key is stored encrypted. Only the answer that has
 * made one contains it: no other, no log, no audit entry and no stored result.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { randomBytes } from "node:crypto"
import { PeoplePool, type Query } from "../../../base/database/Pools.ts"
import { machineTime } from "../../../base/time/Times.ts"
import { AdminApi } from "../../../contract/admin/Api.ts"
import type {
  Connection,
  ConnectionChange,
  ConnectionRotation,
  ConnectionSettings,
  NewConnection,
  Restaurant
} from "../../../contract/admin/Connections.ts"
import { defaultSettings, maxConnections } from "../../../contract/admin/Connections.ts"
import type { BodyFault } from "../../../contract/Decode.ts"
import { callingCodeOf } from "../../../contract/Phones.ts"
import { said } from "../../../contract/Said.ts"
import { allows } from "../../../contract/Scopes.ts"
import { Journal } from "../../../core/journal/Journal.ts"
import { Programs } from "../../../core/programs/Programs.ts"
import { zoneOf } from "../../../core/rules/Calendar.ts"
import type { RequestCaller } from "../../../desk/access/CurrentCaller.ts"
import { CurrentCaller } from "../../../desk/access/CurrentCaller.ts"
import { rootId } from "../../../desk/access/Keys.ts"
import * as Audit from "../../../desk/surface/Audit.ts"
import type { PageQuery } from "../../../desk/surface/Paging.ts"
import { paged, pageOf } from "../../../desk/surface/Paging.ts"
import { refuse, refuseFaults } from "../../../desk/surface/Refusal.ts"
import * as Sealed from "../../../desk/surface/Sealed.ts"
import * as Versions from "../../../desk/surface/Versions.ts"
import * as Visible from "../../../desk/surface/Visible.ts"
import * as Bounds from "./Bounds.ts"
import * as Store from "./ConnectionStore.ts"
import * as Transactions from "./TransactionStore.ts"

const needed = Effect.all({ people: PeoplePool, journal: Journal, programs: Programs, machine: machineTime })
type Parts = Effect.Success<typeof needed>

/** True if the caller has all that a till may do and see: of people, owners; of keys, the admin key too. */
const isOwner = ({ keyId, kind, scopes }: RequestCaller): boolean =>
  kind === "system" ||
  keyId === rootId ||
  (scopes.has("protocol:read") &&
    scopes.has("protocol:write") &&
    allows(scopes, { scope: "members:read", whole: "platform:read" }))

/** Refuses whatever lets a till see or do more, unless the caller may do all of it. */
const mustBeOwner = Effect.flatMap(CurrentCaller, (caller) =>
  isOwner(caller)
    ? Effect.void
    : refuse(
        "forbidden",
        "Whatever lets a till see or do more needs the scopes protocol:read, protocol:write and members:read, which owners and the admin key have."
      )
)

/** How much a search tells, from the least on. */
const telling: ReadonlyArray<ConnectionSettings["tells"]> = ["none", "masked", "names"]

/** True if a change lets a till see or do more than before. A mapped restaurant does not count. */
const isMore = (before: Store.ConnectionFacts, after: Store.ConnectionFacts): boolean =>
  (before.status === "paused" && after.status === "active") ||
  (before.unknown_restaurant === "refuse" && after.unknown_restaurant === "accept") ||
  (!before.settings.search_by_name && after.settings.search_by_name) ||
  telling.indexOf(after.settings.tells) > telling.indexOf(before.settings.tells)

const repeatedFaults = (restaurants: ReadonlyArray<Restaurant>): ReadonlyArray<BodyFault> => {
  const seen = new Set<string>()
  return restaurants.flatMap(({ external_id: id }, index) => {
    const isRepeated = seen.has(id)
    seen.add(id)
    return isRepeated ? [{ path: `/restaurants/${index}/external_id`, message: "is in the list before" }] : []
  })
}

const faultsOf = ({ restaurants, settings }: Store.ConnectionFacts): ReadonlyArray<BodyFault> => [
  ...repeatedFaults(restaurants),
  ...(zoneOf(settings.time_zone) === undefined
    ? [{ path: "/settings/time_zone", message: "must be an IANA time zone such as Europe/Berlin" }]
    : []),
  ...(callingCodeOf(settings.country) === undefined
    ? [{ path: "/settings/country", message: "is no country whose telephone numbers are known here" }]
    : [])
]

/** Facts of a connection for the audit, without its key. */
const auditFacts = ({
  name,
  program_id,
  restaurants,
  settings,
  status,
  unknown_restaurant,
  vendor
}: Store.ConnectionFacts & Pick<Connection, "vendor" | "program_id">) => ({
  vendor,
  program_id,
  name,
  active: status === "active",
  restaurants: [...restaurants],
  unknown_restaurant,
  ...settings
})

const auditedAs = (id: string, program_id: string) => ({
  subject: { type: "connection", id },
  programId: program_id
})

/** A connection that the caller may use. */
const findOf = (found: Store.StoredConnection | undefined, id: string) =>
  Effect.gen(function* () {
    if (found === undefined) return yield* refuse("not_found", said`There is no connection ${id}.`)
    yield* Visible.mustUse(yield* CurrentCaller, found.connection.program_id)
    return found
  })

const lockedIn = ({ machine }: Parts, query: Query, id: string) =>
  Effect.flatMap(Store.locked(query, id, machine.now()), (found) => findOf(found, id))

const shown = ({ machine, people }: Parts, id: string) =>
  Effect.flatMap(Store.find(people.query, id, machine.now()), (found) => findOf(found, id))

const list = Effect.fnUntraced(function* ({ machine, people }: Parts) {
  const { programs } = yield* CurrentCaller
  const found = yield* Store.list(people.query, programs && [...programs], machine.now())
  return { connections: found.map(({ connection }) => connection) }
})

/** A key: 256 random bits. */
const newKey = (): string => `tll_${randomBytes(32).toString("base64url")}`

const sealedOf = ({ journal }: Parts, id: string, key: string) => ({
  sealed: Sealed.seal(journal.claimKey, id, key),
  last4: key.slice(-4)
})

const create = Effect.fnUntraced(function* (parts: Parts, asked: typeof NewConnection.Type) {
  const { machine, people, programs } = parts
  const { name, program_id, restaurants = [], settings, unknown_restaurant = "refuse", vendor } = asked
  yield* mustBeOwner
  yield* Visible.named(programs, yield* CurrentCaller, program_id)
  const given = { ...defaultSettings, ...settings }
  const facts = {
    vendor,
    program_id,
    name,
    status: "active",
    restaurants,
    unknown_restaurant,
    settings: given
  } as const
  const faults = faultsOf(facts)
  if (faults.length > 0) return yield* refuseFaults(faults)
  const id = `cnx_${randomBytes(16).toString("hex")}`
  const secret = newKey()
  yield* people.transaction(
    Effect.gen(function* () {
      if ((yield* Store.count(people.query)) >= maxConnections)
        return yield* refuse("invalid_state", said`There are ${maxConnections} connections, and no more may be.`)
      yield* Store.create(people.query, { ...facts, id, key: sealedOf(parts, id, secret), at: machine.now() })
      yield* Audit.tell(people.query, {
        action: "connection.create",
        ...auditedAs(id, program_id),
        changes: { after: auditFacts(facts) }
      })
    })
  )
  return { connection: (yield* shown(parts, id)).connection, secret }
})

const change = Effect.fnUntraced(function* (parts: Parts, id: string, asked: typeof ConnectionChange.Type) {
  const { machine, people } = parts
  const { expected_version, settings, ...others } = asked
  yield* people.transaction(
    Effect.gen(function* () {
      const { connection: before, n } = yield* lockedIn(parts, people.query, id)
      yield* Versions.expect(`connection ${id}`, expected_version, before.version)
      const after = { ...before, ...others, settings: { ...before.settings, ...settings } }
      const faults = faultsOf(after)
      if (faults.length > 0) return yield* refuseFaults(faults)
      if (isMore(before, after)) yield* mustBeOwner
      yield* Store.change(people.query, n, after, machine.now())
      yield* Audit.tell(people.query, {
        action: "connection.change",
        ...auditedAs(id, before.program_id),
        changes: Audit.changesOf(auditFacts(before), auditFacts(after))
      })
    })
  )
  return (yield* shown(parts, id)).connection
})

const rotate = Effect.fnUntraced(function* (
  parts: Parts,
  id: string,
  { overlap_minutes = Bounds.overlapMinutes }: typeof ConnectionRotation.Type
) {
  const { machine, people } = parts
  yield* mustBeOwner
  const secret = newKey()
  yield* people.transaction(
    Effect.gen(function* () {
      const { connection, n } = yield* lockedIn(parts, people.query, id)
      const now = machine.now()
      yield* Store.rotate(people.query, n, sealedOf(parts, id, secret), now + overlap_minutes * 60_000, now)
      yield* Audit.tell(people.query, {
        action: "connection.rotate",
        ...auditedAs(id, connection.program_id),
        changes: { after: { overlap_minutes } }
      })
    })
  )
  return { connection: (yield* shown(parts, id)).connection, secret }
})

const remove = Effect.fnUntraced(function* (parts: Parts, id: string) {
  const { machine, people } = parts
  yield* mustBeOwner
  const found = yield* shown(parts, id)
  if (found.connection.status === "active") yield* change(parts, id, { status: "paused" })
  yield* Store.clear(people.query, found.n, machine.now())
  yield* people.transaction(
    Effect.gen(function* () {
      const { connection, n } = yield* lockedIn(parts, people.query, id)
      yield* Store.remove(people.query, n)
      yield* Audit.tell(people.query, {
        action: "connection.delete",
        ...auditedAs(id, connection.program_id),
        changes: { before: auditFacts(connection) }
      })
    })
  )
  return { connection_id: id, deleted: true as const }
})

const transactions = Effect.fnUntraced(function* (parts: Parts, id: string, asked: PageQuery) {
  const { journal, machine, people } = parts
  const { n } = yield* shown(parts, id)
  const bound = ["connection transactions", id]
  const page = yield* pageOf(journal.claimKey, bound, asked)
  const before = page.after === undefined ? undefined : Number(page.after)
  const since = machine.now() - Bounds.keptMs
  const found = yield* Transactions.list(people.query, { connection: n, before, since, limit: page.limit + 1 })
  const { rows, ...next } = paged(journal.claimKey, bound, page, found, (one) => String(one.n))
  return { transactions: rows.map(({ shown }) => shown), ...next }
})

export const layer = HttpApiBuilder.group(AdminApi, "connections", (handlers) =>
  Effect.map(needed, (parts) =>
    handlers
      .handle("listConnections", () => list(parts))
      .handle("showConnection", ({ params }) =>
        Effect.map(shown(parts, params.connection_id), ({ connection }) => connection)
      )
      .handle("listConnectionTransactions", ({ params, query }) => transactions(parts, params.connection_id, query))
      .handle("createConnection", ({ payload }) => create(parts, payload))
      .handle("changeConnection", ({ params, payload }) => change(parts, params.connection_id, payload))
      .handle("rotateConnection", ({ params, payload }) => rotate(parts, params.connection_id, payload))
      .handle("deleteConnection", ({ params }) => remove(parts, params.connection_id))
  )
)

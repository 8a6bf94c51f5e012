/**
 * Compares people, limits, locations, connectors, connections and the freeze with the audit: its entries are folded, and each row must be
 * as its last entry left it.
 */
import type { PgConnection } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { isDeepStrictEqual } from "node:util"
import { optional, rowsOf } from "../../base/database/Values.ts"
import { firstLimits } from "../../contract/admin/GivingLimits.ts"
import { limitNames } from "../../contract/protocol/Problem.ts"
import { changesChain } from "../../core/journal/Audit.ts"
import type { Difference } from "./Difference.ts"

const tables = [
  "users",
  "role_limits",
  "user_limits",
  "locations",
  "connectors",
  "connections",
  "installation"
] as const
type Table = (typeof tables)[number]

type Facts = Readonly<Record<string, unknown>>
/** The audit's account of each subject. Undefined: it was deleted. */
type Told = Readonly<Record<Table, Map<string, Facts | undefined>>>

const limits = `jsonb_build_object(${limitNames.map((name) => `'${name}', ${name}`).join(", ")}) AS facts`

/** The rows, with the same facts as the entries. */
const statements: Readonly<Record<Table, string>> = {
  users: `SELECT user_id AS id, jsonb_build_object('role', role, 'programs', programs, 'disabled', status = 'disabled',
      'role_gone', role_gone_at IS NOT NULL, 'location_ids', location_ids, 'franchisee_ids', franchisee_ids,
      'brand_ids', brand_ids) AS facts FROM users`,
  role_limits: `SELECT role AS id, ${limits} FROM role_limits`,
  user_limits: `SELECT user_id AS id, ${limits} FROM user_limits`,
  locations: `SELECT location_id AS id, jsonb_build_object('name', name, 'address', address, 'time_zone', time_zone,
      'brand', brand, 'closed', closed, 'franchisees', franchisees, 'brands', brands) AS facts FROM locations`,
  // The service disables a connector that fails without an entry.
  connectors: `SELECT connector_id AS id, jsonb_build_object('name', name, 'host', url, 'event_types', event_types,
      'include_artifacts', include_artifacts, 'guest_codes', guest_codes, 'thresholds', thresholds, 'max_in_flight', max_in_flight,
      'program_ids', program_ids) ||
      CASE WHEN enabled OR disabled_reason IS NULL THEN jsonb_build_object('enabled', enabled) ELSE '{}' END AS facts
    FROM connectors`,
  connections: `SELECT connection_id AS id, jsonb_build_object('vendor', vendor, 'program_id', program_id, 'name', name,
      'active', active, 'restaurants', restaurants, 'unknown_restaurant', unknown_restaurant) || settings AS facts
    FROM connections`,
  installation: "SELECT 'writes' AS id, jsonb_build_object('write_frozen', write_frozen) AS facts FROM installation"
}

const Facts = Schema.Record(Schema.String, Schema.Unknown)
const FactRow = Schema.Struct({ id: Schema.String, facts: Facts })
const factRows = rowsOf(FactRow)

const entriesStatement = `SELECT action, subject_type AS type, subject_id AS id, changes::json AS changes FROM audit
  WHERE chain = ${changesChain} AND action IN ('staff.invite', 'staff.join', 'staff.role', 'staff.role_gone', 'staff.role_back',
    'staff.disable', 'staff.enable', 'staff.remove_passkeys', 'staff.limits', 'location.create', 'location.change',
    'connector.create', 'connector.change', 'connector.status', 'connector.delete', 'connection.create', 'connection.change', 'connection.delete',
    'freeze.on', 'freeze.off')
  ORDER BY audit.n`
const Entry = Schema.Struct({
  action: Schema.String,
  type: Schema.String,
  id: Schema.String,
  changes: optional(Schema.Struct({ before: Schema.optionalKey(Facts), after: Schema.optionalKey(Facts) }))
})
const entryRows = rowsOf(Entry)

const noLimits: Facts = Object.fromEntries(limitNames.map((name) => [name, undefined]))

/** The limits of roles without a row. */
const unstored: ReadonlyMap<string, Facts> = new Map(firstLimits.map(({ role, ...limits }) => [role, limits]))

/** The limits of roles before the first change: those that the migrations set, and those without a row. */
const limitsAtFirst: ReadonlyArray<readonly [role: string, limits: Facts]> = [
  ["support", { points_per_action: 1_000, points_per_day: 5_000, rewards_per_day: 10, orders_moved_per_day: 20 }],
  ["manager", { points_per_action: 50_000, points_per_day: 500_000, rewards_per_day: 500, orders_moved_per_day: 500 }],
  ...unstored
]

const begin = (): Told => ({
  users: new Map(),
  role_limits: new Map(limitsAtFirst),
  user_limits: new Map(),
  locations: new Map(),
  connectors: new Map(),
  connections: new Map(),
  installation: new Map()
})

const tableOf = ({ action, type }: typeof Entry.Type): Table => {
  if (action === "staff.limits") return type === "role" ? "role_limits" : "user_limits"
  if (action.startsWith("staff.")) return "users"
  if (action.startsWith("location.")) return "locations"
  if (action.startsWith("connection.")) return "connections"
  return action.startsWith("connector.") ? "connectors" : "installation"
}

const fold = (told: Told, entry: typeof Entry.Type): void => {
  const { action, changes: { before = {}, after = {} } = {}, id } = entry
  const of = told[tableOf(entry)]
  if (action === "connector.delete" || action === "connection.delete") return void of.set(id, undefined)
  const gone = Object.fromEntries(Object.keys(before).map((name) => [name, undefined]))
  const { status, ...set } = after
  const facts = {
    ...of.get(id),
    // Its entry has the former role, which the person still has.
    ...(action === "staff.role_gone" ? { role_gone: true } : { ...gone, ...set }),
    ...(action === "staff.role_back" ? { role_gone: false } : undefined),
    ...(status === undefined ? undefined : { disabled: status === "disabled" })
  }
  of.set(id, facts)
  // Owners have no limits.
  if (after["role"] === "owner") told.user_limits.set(id, noLimits)
}

/** A value without the ways to say that there is none. */
const plain = (value: unknown): unknown => (value === null || value === false ? undefined : value)
const shown = (value: unknown): string => JSON.stringify(value ?? null)

const hostOf = ({ host, ...facts }: Facts): Facts => ({
  ...facts,
  host: URL.canParse(String(host)) ? new URL(String(host)).host : host
})

/** Messages of facts that differ. Of a sandbox only those that its audit has. */
const differing = (stored: Facts, told: Facts, isSandbox: boolean): ReadonlyArray<string> =>
  Object.entries(stored)
    .filter(([name, value]) => !isDeepStrictEqual(plain(value), plain(told[name])))
    .filter(([name]) => !isSandbox || name in told)
    .map(([name, value]) => `${name} is ${shown(value)}; the audit says ${shown(told[name])}`)

/** Without a row there are no limits. */
const isLimits = (table: Table): boolean => table === "role_limits" || table === "user_limits"

/** Messages of a row that is there. */
const ofRow = (
  table: Table,
  { facts, id }: typeof FactRow.Type,
  told: Told[Table],
  isSandbox: boolean
): ReadonlyArray<string> => {
  if (isLimits(table) || table === "installation" || told.get(id) !== undefined)
    return differing(table === "connectors" ? hostOf(facts) : facts, told.get(id) ?? {}, isSandbox)
  if (told.has(id)) return ["the audit has it as deleted, but it is there"]
  return isSandbox ? [] : ["the audit has no entry of its creation"]
}

/** Messages of a subject without a row. */
const ofNoRow = (table: Table, id: string, told: Facts, isSandbox: boolean): ReadonlyArray<string> =>
  isLimits(table)
    ? differing(unstored.get(id) ?? noLimits, told, isSandbox)
    : ["the audit has it, but there is no such row"]

/**
 * All differences, in the connection's snapshot. The reset of a sandbox ends its audit and keeps what was configured, so of a
 * sandbox only facts are compared that its audit has.
 */
export const differences = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, isSandbox: boolean) {
  const found: Array<Difference> = []
  const told = begin()
  if (isSandbox) told.role_limits.clear()
  for (const entry of yield* entryRows(connection.query(entriesStatement))) fold(told, entry)
  for (const table of tables) {
    const rows = yield* factRows(connection.query(`${statements[table]} ORDER BY 1`))
    const say = (row: string, messages: ReadonlyArray<string>) =>
      found.push(...messages.map((message) => ({ table, row, message })))
    for (const row of rows) say(row.id, ofRow(table, row, told[table], isSandbox))
    const seen = new Set(rows.map(({ id }) => id))
    for (const [id, facts] of told[table])
      if (!seen.has(id) && facts !== undefined) say(id, ofNoRow(table, id, facts, isSandbox))
  }
  return found
})

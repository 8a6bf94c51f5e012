/**
 * Translates rules to SQL. A condition on another table becomes an outer join with at
 * most one row a member: it can be combined with others by AND, OR and NOT, and
 * PostgreSQL can use hash joins.
 */
import { PgTypes } from "@effect/sql-pg"
import { instant, int8, int8s, texts } from "../../base/database/Values.ts"
import { dateAt, dayMs } from "../../core/rules/Calendar.ts"
import * as Periods from "../../core/rules/Periods.ts"
import type { Program } from "../../core/rules/Program.ts"
import { anyTime, apart } from "../../reads/rollups/Ladder.ts"
import type { Condition, Rule } from "./Rules.ts"
import { referencesOf } from "./Rules.ts"

/** Adds a parameter to the statement. Returns its placeholder, such as `$3`. */
export type Place = (parameter: PgTypes.Parameter) => string

interface Given {
  readonly program: Program
  /** ms. */
  readonly now: number
  readonly place: Place
  readonly named: ReadonlyMap<string, Rule | undefined>
  readonly pinnedBy: string | undefined
}

/** A condition on account `a`, the joins that it needs, and their WITH clause (empty if there is none). */
export interface Selected {
  readonly condition: string
  readonly joins: string
  readonly tables: string
}

const { text } = PgTypes

type Of<Type extends Condition["type"]> = Extract<Condition, { readonly type: Type }>

/** Whether a closed member matches; undefined: unknown, as in SQL's logic of three values. */
export const isTrueOfClosed = (rule: Rule, named: Given["named"]): boolean | undefined => {
  switch (rule.type) {
    case "all":
    case "any": {
      const decides = rule.type === "any"
      const parts = rule.rules.map((one) => isTrueOfClosed(one, named))
      if (parts.includes(decides)) return decides
      return parts.includes(undefined) ? undefined : !decides
    }
    case "not": {
      const inner = isTrueOfClosed(rule.rule, named)
      return inner === undefined ? undefined : !inner
    }
    case "status":
      return rule.statuses.includes("closed")
    case "segment": {
      const other = named.get(rule.segment)
      return other === undefined ? undefined : isTrueOfClosed(other, named)
    }
    default:
      return undefined
  }
}

/**
 * Month × 100 + day of each birthday from today to `days` days later. 29 February counts on 1 March of common years.
 */
export const birthdays = (program: Program, now: number, days: number): ReadonlyArray<number> => {
  const { zone } = program
  const today = dateAt(zone, now)
  const found = new Set<number>()
  for (let ahead = 0; ahead <= days; ahead++) {
    const date = new Date(today + ahead * dayMs)
    const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
    found.add(month * 100 + day)
    const hasLeapDay = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1
    if (month === 3 && day === 1 && !hasLeapDay) found.add(229)
  }
  return [...found]
}

/** The instant `days` × 24 hours before now, ms. The window begins after it. */
const before = ({ now }: Given, days: number): number => now - days * dayMs

class Writer {
  readonly joins: Array<string> = []
  private readonly aliases = new Map<string, string>()
  private readonly given: Given
  /** The table in the WITH clause for a segment. */
  private readonly tableOf: (segment: string) => string

  constructor(given: Given, tableOf: (segment: string) => string) {
    this.given = given
    this.tableOf = tableOf
  }

  rule(rule: Rule): string {
    switch (rule.type) {
      case "all":
        return this.joined(rule.rules, " AND ")
      case "any":
        return this.joined(rule.rules, " OR ")
      case "not":
        return `NOT (${this.rule(rule.rule)})`
      default:
        return this.condition(rule)
    }
  }

  private joined(rules: ReadonlyArray<Rule>, by: string): string {
    return rules.map((one) => `(${this.rule(one)})`).join(by)
  }

  /** SQL that is true or false, never null: NOT of null would be null. */
  private condition(condition: Condition): string {
    switch (condition.type) {
      case "status":
        return `a.status = ANY (${this.given.place(texts(condition.statuses))}::text[]::member_status[])`
      case "tier":
        return this.tier(condition)
      case "balance":
        return this.balance(condition)
      case "consent":
        return this.consent(condition)
      case "has":
        return `${this.profile()}.${condition.field} IS NOT NULL`
      case "attribute":
        return this.attribute(condition)
      case "event":
        return this.isIn(condition, () => this.event(condition))
      case "order":
        return this.orders(condition)
      case "inactive":
        return `${this.joinedBy(condition.days)} AND NOT ${this.isAfter(`${this.buyer()}.last_order`, condition.days)}`
      case "joined":
        return `NOT (${this.joinedBy(condition.days)}) AND a.joined_at <= ${this.instant(this.given.now)}`
      case "birthday":
        return this.birthday(condition)
      case "expiring":
        return this.isIn(condition, () => this.expiring(condition))
      case "segment":
        return this.isIn(condition, () => `SELECT account FROM ${this.tableOf(condition.segment)}`)
    }
  }

  /** Joins a table, once for each `key`. Returns its alias. */
  private join(key: string, made: (alias: string) => string): string {
    const known = this.aliases.get(key)
    if (known !== undefined) return known
    const alias = `j${this.aliases.size}`
    this.aliases.set(key, alias)
    this.joins.push(`LEFT JOIN ${made(alias)}`)
    return alias
  }

  /** True if the account is in the SELECT. Requires: the SELECT has each account at most once. */
  private isIn(condition: Condition, select: () => string): string {
    const alias = this.join(JSON.stringify(condition), (name) => `(${select()}) ${name} ON ${name}.account = a.number`)
    return `${alias}.account IS NOT NULL`
  }

  private rollup(): string {
    return this.join("rollup", (name) => `member_rollups ${name} ON ${name}.account = a.number`)
  }

  private buyer(): string {
    return this.join("buyer", (name) => `rollup_buyers ${name} ON ${name}.account = a.number`)
  }

  private profile(): string {
    return this.join("profile", (name) => `profiles ${name} ON ${name}.account = a.number`)
  }

  private text(value: string): string {
    return this.given.place(text(value))
  }

  private number(value: number): string {
    return this.given.place(int8(value))
  }

  private json(values: ReadonlyArray<unknown>): string {
    return `${this.given.place(texts(values.map((value) => JSON.stringify(value))))}::text[]::jsonb[]`
  }

  private instant(at: number): string {
    return this.given.place(instant(at))
  }

  private joinedBy(days: number): string {
    return `a.joined_at <= ${this.instant(before(this.given, days))}`
  }

  /** The tier that a key of the rollups has reached, as `Ladder.tierAt` has it; null: none counts any more. */
  private reachedIn(key: string): string {
    const { now, program } = this.given
    const part = (place: number) => `split_part(${key}.tier_id, ${this.text(apart)}, ${place})`
    const periods = this.given.place(int8s([anyTime, Periods.periodStart(program, now) ?? 0]))
    const before = Periods.retains(program, now) ? Periods.lastPeriodStart(program, now) : undefined
    const present = `${key}.tier_period = ANY (${periods})`
    if (before === undefined) return `CASE WHEN ${present} THEN ${part(1)} END`
    return `CASE WHEN ${present} AND ${part(3)} = ${this.text(String(before))} THEN ${part(2)}
      WHEN ${present} OR ${key}.tier_period = ${this.number(before)} THEN ${part(1)} END`
  }

  /** The tier that a key of the rollups stands for now: the promised one, if it lasts and is higher than the one reached. */
  private tierIn(key: string, ids: ReadonlyArray<string>): string {
    const part = (place: number) => `split_part(${key}.tier_id, ${this.text(apart)}, ${place})`
    const ladder = this.given.place(texts(ids))
    const reached = this.reachedIn(key)
    return `CASE WHEN ${part(4)} <> '' AND (${part(5)} = '' OR ${part(5)}::bigint > ${this.number(this.given.now)})
        AND coalesce(array_position(${ladder}, ${part(4)}), 0) > coalesce(array_position(${ladder}, ${reached}), 1)
      THEN ${part(4)} ELSE ${reached} END`
  }

  /** A stored tier counts only in its period. Otherwise, and before the first entry, the member has the lowest tier. */
  private tier({ tiers }: Of<"tier">): string {
    const { program } = this.given
    const ids = program.tiers.map(({ tier_id }) => tier_id)
    const [lowest] = ids
    if (lowest === undefined) return "false"
    const wantsLowest = tiers.includes(lowest)
    const higher = ids.filter((id) => id !== lowest && tiers.includes(id) !== wantsLowest)
    const alias = this.rollup()
    const isHigher = `coalesce(${this.tierIn(alias, ids)} = ANY (${this.given.place(texts(higher))}), false)`
    return wantsLowest ? `NOT ${isHigher}` : isHigher
  }

  private balance({ atLeast, atMost, figure, unit = this.given.program.primaryUnit }: Of<"balance">): string {
    const isPrimary = unit === this.given.program.primaryUnit
    // Safe as SQL text: the unit is one of five enumeration values, which name the columns.
    const column = (name: string) => `coalesce(${this.rollup()}.${unit}_${name}, 0)`
    const posted = isPrimary && figure === "posted" ? "a.balance" : column("posted")
    const amount = figure === "posted" ? posted : `${posted} - ${column("reserved")}`
    return [
      ...(atLeast === undefined ? [] : [`${amount} >= ${this.number(atLeast)}`]),
      ...(atMost === undefined ? [] : [`${amount} <= ${this.number(atMost)}`])
    ].join(" AND ")
  }

  /** A channel without its own consent takes the consent for the whole purpose. */
  private consent({ channel, purpose }: Of<"consent">): string {
    const granted = (of: string) =>
      this.join(
        JSON.stringify(["consent", purpose, of]),
        (name) => `current_consents ${name} ON ${name}.account = a.number AND ${name}.purpose = ${this.text(purpose)}
          AND ${name}.channel = ${this.text(of)}`
      )
    const whole = `${granted("")}.granted`
    return `coalesce(${channel === undefined ? "" : `${granted(channel)}.granted, `}${whole}, false)`
  }

  private attribute({ name, values }: Of<"attribute">): string {
    const alias = this.join("attributes", (own) => `members ${own} ON ${own}.account = a.number`)
    return `coalesce(${alias}.attributes -> ${this.text(name)} = ANY (${this.json(values)}), false)`
  }

  private birthday({ days }: Of<"birthday">): string {
    const { now, place, program } = this.given
    const date = `${this.profile()}.birth_date`
    const day = `(extract(month from ${date}) * 100 + extract(day from ${date}))::int`
    return `coalesce(${day} = ANY (${place(int8s(birthdays(program, now, days)))}), false)`
  }

  /** True if a time is in the last `days` days (undefined: at any time) and not in the future. */
  private within(column: string, days: number | undefined): string {
    const until = `${column} <= ${this.number(this.given.now)}`
    return days === undefined ? until : `${column} > ${this.number(before(this.given, days))} AND ${until}`
  }

  /** Events of a merged member count for the remaining member. */
  private event({ count, days, event, property, value }: Of<"event">): string {
    const { program } = this.given
    const conditions = [
      `b.program_id = ${this.text(program.id)}`,
      `b.type = ${this.text(event)}`,
      this.within("b.occurred_at", days),
      ...(value === undefined
        ? []
        : [`b.currency = ${this.text(program.currency)} AND b.value >= ${this.number(value)}`]),
      ...(property === undefined
        ? []
        : [`b.properties -> ${this.text(property.name)} = ANY (${this.json([property.equals])})`])
    ]
    return `SELECT coalesce(m.into_account, b.account) AS account
      FROM behaviour b LEFT JOIN rollup_merges m ON m.account = b.account
      WHERE ${conditions.join(" AND ")} GROUP BY 1 HAVING count(*) >= ${this.number(count)}`
  }

  private orders(condition: Of<"order">): string {
    const { count, days, location, spend } = condition
    if (location === undefined && days === undefined) return this.ordersEver(count, spend)
    const column = ["last_order", "order_before"][count - 1]
    if (location !== undefined || days === undefined || spend !== undefined || column === undefined)
      return this.isIn(condition, () => this.order(condition))
    return this.isAfter(`${this.buyer()}.${column}`, days)
  }

  private ordersEver(count: number, spend: number | undefined): string {
    const alias = this.buyer()
    const enough = [
      `${alias}.orders >= ${this.number(count)}`,
      ...(spend === undefined ? [] : [`${alias}.spend >= ${this.number(spend)}`])
    ]
    return `coalesce(${enough.join(" AND ")}, false)`
  }

  /** True if a time, which may be null, is in the last `days` days. Orders are never in the future. */
  private isAfter(column: string, days: number): string {
    return `coalesce(${column} > ${this.number(before(this.given, days))}, false)`
  }

  private order({ count, days, location, spend }: Of<"order">): string {
    const { program } = this.given
    const conditions = [
      `o.program_id = ${this.text(program.id)}`,
      "o.counts",
      ...(days === undefined ? [] : [`o.at > ${this.number(before(this.given, days))}`]),
      ...(location === undefined ? [] : [`o.location_id = ${this.text(location)}`])
    ]
    // A float sum is exact up to 2^53 minor units, and faster than PostgreSQL's sum of bigints.
    const enough = [
      `count(*) >= ${this.number(count)}`,
      ...(spend === undefined ? [] : [`sum(o.spend::float8) >= ${this.number(spend)}`])
    ]
    return `SELECT o.account FROM rollup_orders o WHERE ${conditions.join(" AND ")}
      GROUP BY o.account HAVING ${enough.join(" AND ")}`
  }

  private expiring({ amount, days, unit = this.given.program.primaryUnit }: Of<"expiring">): string {
    const { now } = this.given
    return `SELECT l.account FROM rollup_member_lots l
      WHERE l.unit = ${this.text(unit)}::unit AND l.expires_at > ${this.number(now)}
        AND l.expires_at <= ${this.number(now + days * dayMs)}
      GROUP BY l.account HAVING sum(l.amount) >= ${this.number(amount)}`
  }
}

/** The members that a static segment lists. A merged one counts as the remaining member. */
const listed = (segment: string, { pinnedBy, place }: Given): string =>
  `SELECT DISTINCT coalesce(m.into_account, s.account) AS account
    FROM ${pinnedBy === undefined ? "segment_members" : "campaign_audience_members"} s
      LEFT JOIN rollup_merges m ON m.account = s.account
    WHERE s.segment_id = ${place(text(segment))}
      ${pinnedBy === undefined ? "" : `AND s.campaign_id = ${place(text(pinnedBy))}`}`

/**
 * The SQL of a rule. Each segment that it refers to becomes a table of the WITH clause, after the segments that it
 * refers to itself.
 */
export const selectRule = (given: Given, rule: Rule): Selected => {
  const { named, place, program } = given
  const tables: Array<string> = []
  const names = new Map<string, string>()
  const tableOf = (segment: string): string => {
    const known = names.get(segment)
    if (known !== undefined) return known
    const inner = named.get(segment)
    // Marks the segment as visited: a circle, which the store refuses, would recurse for ever.
    names.set(segment, "")
    const select = inner === undefined ? listed(segment, given) : accountsOf(inner)
    const name = `named_${tables.length}`
    tables.push(`${name} AS (${select})`)
    names.set(segment, name)
    return name
  }
  const accountsOf = (inner: Rule): string => {
    const { condition, joins } = selected(inner)
    return `SELECT a.number AS account FROM accounts a ${joins}
      WHERE a.program_id = ${place(text(program.id))} AND a.status <> 'closed' AND (${condition})`
  }
  const selected = (one: Rule) => {
    // Referred segments come first: a table of WITH may only use earlier ones.
    for (const segment of referencesOf(one)) tableOf(segment)
    const writer = new Writer(given, tableOf)
    const condition = writer.rule(one)
    return { condition, joins: writer.joins.join("\n") }
  }
  const { condition, joins } = selected(rule)
  return { condition, joins, tables: tables.length === 0 ? "" : `WITH ${tables.join(",\n")}` }
}

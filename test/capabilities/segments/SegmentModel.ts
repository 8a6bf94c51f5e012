/**
 * Members that match the rules of a segment, member by member, from all that there is of
 * each: what the SQL is held against. Reads the rules as they are sent.
 */

import type { Rules } from "../../../src/contract/platform/Rules.ts"
import type { Unit } from "../../../src/contract/Values.ts"
import * as Lots from "../../../src/core/account/domain/Lots.ts"
import { tierOf } from "../../../src/core/account/domain/Metrics.ts"
import type { State } from "../../../src/core/account/domain/State.ts"
import { unitOf } from "../../../src/core/account/domain/State.ts"
import type { Program } from "../../../src/core/rules/Program.ts"
import { dateIn, type Order, spendOf } from "../analytics/AnalyticsModel.ts"

const day = 86_400_000

export interface Told {
  readonly account: number
  readonly type: string
  readonly at: number
  readonly value: number | undefined
  readonly currency: string
  readonly properties: Readonly<Record<string, unknown>> | undefined
}

export interface Person {
  readonly account: number
  readonly name: string
  readonly program: Program
  readonly state: State
  /** Itself and those merged into it. */
  readonly accounts: ReadonlySet<number>
  readonly isErased: boolean
  readonly email: string | undefined
  readonly phone: string | undefined
  /** YYYY-MM-DD. */
  readonly birth: string | undefined
  readonly attributes: Readonly<Record<string, unknown>> | undefined
  /** By purpose and channel, with a space between. */
  readonly consents: ReadonlyMap<string, boolean>
}

export interface World {
  readonly people: ReadonlyArray<Person>
  readonly told: ReadonlyArray<Told>
  readonly orders: ReadonlyArray<Order>
  /** Rules, or accounts that are listed. */
  readonly segments: ReadonlyMap<string, Rules | ReadonlyArray<number>>
  readonly now: number
}

/** True, false, or undefined for neither. */
type Truth = boolean | undefined

const both = (a: Truth, b: Truth): Truth => (a === false || b === false ? false : a === undefined ? undefined : b)
const not = (a: Truth): Truth => (a === undefined ? undefined : !a)
const every = (truths: ReadonlyArray<Truth>): Truth => truths.reduce<Truth>(both, true)
const some = (truths: ReadonlyArray<Truth>): Truth => not(every(truths.map(not)))

const isWithin = (at: number, now: number, days: number | undefined): boolean =>
  at <= now && (days === undefined || at > now - days * day)

/** The date of a birthday in a year. */
const birthdayIn = (birth: string, year: string): string => {
  const date = `${year}${birth.slice(4)}`
  const isReal = new Date(`${date}T00:00:00Z`).toISOString().startsWith(date)
  return isReal ? date : `${year}-03-01`
}

const nextDate = (date: string): string => new Date(Date.parse(`${date}T00:00:00Z`) + day).toISOString().slice(0, 10)

const hasBirthday = ({ birth, program }: Person, now: number, days: number): boolean => {
  if (birth === undefined) return false
  let date = dateIn(program.file.tier_policy?.period.time_zone ?? "UTC", now)
  for (let ahead = 0; ahead <= days; ahead++) {
    if (birthdayIn(birth, date.slice(0, 4)) === date) return true
    date = nextDate(date)
  }
  return false
}

const eventsOf = (person: Person, { now, told }: World, rule: NonNullable<Rules["event"]>) =>
  told.filter(
    ({ account, at, currency, properties, type, value }) =>
      person.accounts.has(account) &&
      type === rule.type &&
      isWithin(at, now, rule.within_days) &&
      (rule.minimum_value === undefined ||
        (value !== undefined && currency === person.program.currency && value >= rule.minimum_value)) &&
      (rule.property === undefined ||
        (properties !== undefined &&
          Object.hasOwn(properties, rule.property.name) &&
          properties[rule.property.name] === rule.property.equals))
  )

const isOrdering = (person: Person, { now, orders }: World, rule: NonNullable<Rules["order"]>): boolean => {
  // No order is later than the present. A test may ask as of a time before it: a window goes on to the present all the same.
  const since = rule.within_days === undefined ? undefined : now - rule.within_days * day
  const found = orders.filter(
    ({ account, at, location }) =>
      account === person.account &&
      (since === undefined || at > since) &&
      (rule.location_id === undefined || rule.location_id === location)
  )
  const spend = found.reduce((sum, order) => sum + spendOf(order), 0)
  return found.length >= (rule.minimum_count ?? 1) && spend >= (rule.minimum_spend ?? 0)
}

const isInactive = (person: Person, { now, orders }: World, days: number): boolean => {
  const times = orders.filter(({ account }) => account === person.account).map(({ at }) => at)
  return Math.max(person.state.joined, ...times) <= now - days * day
}

const expiringOf = ({ program, state }: Person, now: number, unit: Unit | undefined, days: number): number => {
  let sum = 0
  const add = (_: number, left: number, expires: number) => {
    if (expires > now && expires <= now + days * day) sum += left
  }
  Lots.each(unitOf(state, unit ?? program.primaryUnit).lots, add, state.idle)
  return sum
}

const isConsenting = ({ consents }: Person, purpose: string, channel = ""): boolean =>
  consents.get(`${purpose} ${channel}`) ?? consents.get(`${purpose} `) ?? false

const isAmong = ({ attributes }: Person, name: string, values: ReadonlyArray<unknown>): boolean =>
  attributes !== undefined && Object.hasOwn(attributes, name) && values.includes(attributes[name])

const balanceOf = ({ program, state }: Person, unit: Unit | undefined) => unitOf(state, unit ?? program.primaryUnit)

const attributesHold = (person: Person, attributes: unknown): boolean =>
  Object.entries(attributes ?? {}).every(([name, value]) => isAmong(person, name, [value]))

const profileHolds = (person: Person, profile: NonNullable<Rules["profile"]>): boolean =>
  (profile.has_email === undefined || profile.has_email === (person.email !== undefined)) &&
  (profile.has_phone === undefined || profile.has_phone === (person.phone !== undefined)) &&
  (profile.marketing_consent === undefined || profile.marketing_consent === isConsenting(person, "marketing")) &&
  attributesHold(person, profile.attributes)

/** Every rule but the status and those made of other rules. */
const plain = (rules: Rules, person: Person, world: World): ReadonlyArray<boolean | undefined> => {
  const { now } = world
  const tier = tierOf(person.state, person.program, now)?.tier_id ?? ""
  const { at_least = -Infinity, at_most = Infinity } = rules.balance ?? {}
  const posted = balanceOf(person, rules.balance?.unit).posted
  const primary = balanceOf(person, undefined)
  const ask = <A>(value: A | undefined, holds: (value: A) => boolean) => (value === undefined ? [] : [holds(value)])
  return [
    ...ask(rules.tier, (tiers) => tiers.includes(tier)),
    ...ask(rules.tier_ids, (tiers) => tiers.includes(tier)),
    ...ask(rules.balance, () => posted >= at_least && posted <= at_most),
    ...ask(rules.minimum_available_balance, (least) => primary.posted - primary.reserved >= least),
    ...ask(rules.consent, ({ channel, purpose }) => isConsenting(person, purpose, channel)),
    ...ask(rules.has, (field) => (field === "birth_date" ? person.birth : person[field]) !== undefined),
    ...ask(rules.attribute, ({ equals, in: values, name }) => isAmong(person, name, values ?? [equals])),
    ...ask(rules.attributes, (attributes) => attributesHold(person, attributes)),
    ...ask(rules.profile, (profile) => profileHolds(person, profile)),
    ...ask(rules.event, (rule) => eventsOf(person, world, rule).length >= (rule.minimum_count ?? 1)),
    ...ask(rules.order, (rule) => isOrdering(person, world, rule)),
    ...ask(rules.inactive_days, (days) => isInactive(person, world, days)),
    ...ask(rules.joined_within_days, (days) => isWithin(person.state.joined, now, days)),
    ...ask(rules.birthday_within_days, (days) => hasBirthday(person, now, days)),
    ...ask(rules.expiring, ({ amount, unit, within_days }) => expiringOf(person, now, unit, within_days) >= amount)
  ]
}

const isInSegment = (id: string, person: Person, world: World): Truth => {
  const segment = world.segments.get(id)
  if (segment === undefined) throw new Error(`no segment ${id}`)
  if (!Array.isArray(segment)) return truth(segment as Rules, person, world)
  if (person.state.status === "closed") return undefined
  return segment.some((account) => person.accounts.has(account))
}

const truth = (rules: Rules, person: Person, world: World): Truth => {
  const { status } = person.state
  const inner = (some: ReadonlyArray<unknown>) => some.map((one) => truth(one as Rules, person, world))
  // Of a closed member nothing is true or false but its status.
  const known = plain(rules, person, world).map((holds) => (status === "closed" ? undefined : holds))
  return every([
    ...known,
    ...(rules.all === undefined ? [] : inner(rules.all)),
    ...(rules.any === undefined ? [] : [some(inner(rules.any))]),
    ...(rules.not === undefined ? [] : [not(truth(rules.not as Rules, person, world))]),
    ...(rules.status === undefined ? [] : [rules.status.includes(status)]),
    ...(rules.statuses === undefined ? [] : [rules.statuses.includes(status)]),
    ...(rules.in_segment === undefined ? [] : [isInSegment(rules.in_segment, person, world)])
  ])
}

/** The names of a programme's members for whom rules hold. */
export const matching = (program: Program, rules: Rules, world: World): ReadonlyArray<string> =>
  world.people
    .filter((person) => person.program === program && !person.isErased && truth(rules, person, world) === true)
    .map(({ name }) => name)
    .toSorted()

/**
 * Requests of the load: one stream of requests a connection, as from a till. A
 * till captures what it reserved itself, and refunds what it sold.
 */
import type { Compose, Kind } from "./Bodies.ts"
import { composers, entriesOf } from "./Bodies.ts"
import type { Job, Members, Workload } from "./Job.ts"

export interface Outgoing {
  readonly kind: Kind
  readonly text: string
  /** Ledger entries that a good answer stands for. */
  readonly entries: number
  /** Reads what later requests need out of a good answer's body. */
  readonly learn?: (body: string) => void
}

/** The next request of a till; undefined when there is no more. */
export type Till = () => Outgoing | undefined

type Random = () => number

/** Small, fast and seeded (mulberry32). */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const memberName = (members: Members, index: number): string =>
  `${members.prefix}${members.first + index * members.stride}`

/** Shares of a lunch rush, in a hundred requests. */
const lunch = {
  "accrual.post": 55,
  "account.get": 20,
  "order.evaluate": 10,
  "redemption.reserve": 5,
  "redemption.capture": 4,
  "redemption.reverse": 1,
  "ledger.list": 3,
  "order.adjust": 2
} as const satisfies Partial<Record<Kind, number>>

/** Orders of a till that may still be refunded: about the last five minutes. */
const refundable = 32

const shuffled = <A>(items: Array<A>, random: Random): Array<A> => {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const other = items[j]!
    items[j] = items[i]!
    items[i] = other
  }
  return items
}

/** A hundred kinds in the given shares and a random order in which nothing is captured before it is reserved. */
export const deck = (shares: Readonly<Partial<Record<Kind, number>>>, random: Random): Array<Kind> => {
  const kinds = Object.entries(shares).flatMap(([kind, share]) => Array<Kind>(share).fill(kind as Kind))
  const cards = shuffled(kinds, random)
  const places = cards.flatMap((kind, place) => (kind.startsWith("redemption.") ? [place] : []))
  let reserves = shares["redemption.reserve"] ?? 0
  const ends = shuffled(
    places.map((place) => cards[place]!).filter((kind) => kind !== "redemption.reserve"),
    random
  )
  let open = 0
  places.forEach((place, index) => {
    const isReserve = open === 0 || random() < reserves / (places.length - index)
    if (isReserve && reserves > 0) {
      cards[place] = "redemption.reserve"
      reserves--
      open++
    } else {
      cards[place] = ends.pop()!
      open--
    }
  })
  return cards
}

interface Sold {
  readonly member: string
  readonly order: string
}

/** One till: its own numbers, what it has sold and what it holds. */
const makeTill = (
  name: string,
  shares: Readonly<Partial<Record<Kind, number>>>,
  pickMember: () => string | undefined,
  compose: Readonly<Record<Kind, Compose>>,
  random: Random
): Till => {
  let count = 0
  let cards: Array<Kind> = []
  const sold: Array<Sold> = []
  const held: Array<{ readonly reservation: string; readonly order: string }> = []

  const take = (): Kind => {
    if (cards.length === 0) cards = deck(shares, random).reverse()
    const kind = cards.pop()!
    // Nothing sold or held yet (or a hold was refused): sell something first.
    const isEarly =
      (kind === "order.adjust" && sold.length === 0) ||
      ((kind === "redemption.capture" || kind === "redemption.reverse") && held.length === 0)
    return isEarly ? "accrual.post" : kind
  }

  return () => {
    const kind = take()
    const entries = entriesOf[kind]
    const number = ++count
    const key = `${name}-${number}`
    if (kind === "redemption.capture" || kind === "redemption.reverse") {
      const { order, reservation } = held.shift()!
      return { kind, entries, text: compose[kind]({ key, member: "", order, other: reservation }) }
    }
    if (kind === "order.adjust") {
      const { member, order } = sold.splice(Math.floor(random() * sold.length), 1)[0]!
      return { kind, entries, text: compose[kind]({ key, member, order, other: `adj-${key}` }) }
    }
    const member = pickMember()
    if (member === undefined) return undefined
    const order = `order-${key}`
    const text = compose[kind]({ key, member, order, other: `red-${key}` })
    if (kind === "accrual.post") {
      const learn = () => {
        sold.push({ member, order })
        if (sold.length > refundable) sold.shift()
      }
      return shares["order.adjust"] === undefined ? { kind, entries, text } : { kind, entries, text, learn }
    }
    if (kind !== "redemption.reserve") return { kind, entries, text }
    return {
      kind,
      entries,
      text,
      learn: (body) => {
        const reservation = /"reservation_id":"([^"]+)"/.exec(body)?.[1]
        if (reservation !== undefined) held.push({ reservation, order })
      }
    }
  }
}

/** Member after member, all tills together. */
const inTurn = (members: Members, each: number): (() => string | undefined) => {
  let next = 0
  return () => (next < members.count * each ? memberName(members, next++ % members.count) : undefined)
}

const sharesOf = (workload: Workload): Readonly<Partial<Record<Kind, number>>> => {
  switch (workload.type) {
    case "enroll":
      return { "member.enroll": 1 }
    case "credit":
      return { "ledger.manual_adjustment": 1 }
    case "accruals":
      return { "accrual.post": 1 }
    case "only":
      return { [workload.kind]: 1 }
    case "mix":
      return lunch
  }
}

/** A till for each connection. */
export const tillsOf = (job: Job): ReadonlyArray<Till> => {
  const { members, type } = job.workload
  const compose = composers(job.token, job.freshRequestIds, job.till)
  const random = randomFrom(job.seed)
  const byChance = () => memberName(members, Math.floor(random() * members.count))
  const each = type === "accruals" ? job.workload.each : type === "enroll" || type === "credit" ? 1 : undefined
  const pick = each === undefined ? byChance : inTurn(members, each)
  return Array.from({ length: job.connections }, (_, index) =>
    makeTill(`${job.tag}-${index}`, sharesOf(job.workload), pick, compose, random)
  )
}

/**
 * The contract's rules for promotions (contract/programmes.md *Promotions*), written from the rules alone: every order of
 * a guest is kept, and every count is taken over all of them.
 */

export interface Line {
  readonly product: string
  /** Whole units. */
  readonly quantity: number
  readonly subtotal: number
  readonly spend: number
}

export interface Rule {
  readonly id: string
  readonly unit: string
  readonly kind: "multiply_bps" | "add" | "add_per_item"
  readonly amount: number
  readonly isMultiplied: boolean
  readonly on?: string
  readonly minimum: number
  readonly first: boolean
  readonly hours?: readonly [from: number, until: number]
  readonly limit?: { readonly count: number; readonly every: "day" | "week" | "month" | "promotion" }
}

export interface Order {
  readonly id: string
  readonly own: number
  /** Older than late orders may be: nothing with hours gives to it. */
  readonly isTooLate: boolean
  readonly lines: ReadonlyArray<Line>
  readonly tierBps: number
  readonly given: ReadonlyArray<Rule>
  /** Changes so far: of the spend, and of each line `[quantity, subtotal]`. */
  spendDelta: number
  readonly deltas: Array<readonly [number, number]>
  closed: boolean
  /** True if a correction has brought in an order that earned nothing as it was posted. */
  earnsSince?: boolean
}

export const rate = { amount: 10, spend: 100 }
const hourMs = 3_600_000

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)
const floor = (dividend: bigint, divisor: bigint): number => Number(dividend / divisor)

const spendOf = (order: Pick<Order, "lines">): number => sum(order.lines.map(({ spend }) => spend))

/** The part of a line's spend that is left, rounded down. */
const leftOf = (line: Line, [, subtotal]: readonly [number, number]): number =>
  line.subtotal === 0
    ? 0
    : floor(BigInt(line.spend) * BigInt(Math.min(line.subtotal, line.subtotal + subtotal)), BigInt(line.subtotal))

/** Gift of a promotion for the rest of an order. */
const gives = (rule: Rule, { deltas, lines, spendDelta, tierBps }: Order): number => {
  const orderSpend = sum(lines.map(({ spend }) => spend)) + spendDelta
  const places = lines.flatMap((line, place) =>
    (rule.on === undefined || rule.on === line.product) && line.spend > 0 ? [place] : []
  )
  const lineSpend = sum(places.map((place) => leftOf(lines[place]!, deltas[place]!)))
  const counts = rule.on === undefined ? orderSpend : Math.min(lineSpend, orderSpend)
  if (places.length === 0 || counts <= 0 || counts < rule.minimum) return 0
  const bps = BigInt(rule.isMultiplied ? tierBps : 10_000)
  if (rule.kind === "multiply_bps") {
    return floor(
      BigInt(counts) * BigInt(rate.amount) * BigInt(tierBps) * BigInt(rule.amount - 10_000),
      BigInt(rate.spend) * 100_000_000n
    )
  }
  if (rule.kind === "add") return floor(BigInt(rule.amount) * bps, 10_000n)
  const prices = places
    .filter((place) => leftOf(lines[place]!, deltas[place]!) > 0)
    .flatMap((place) => {
      const { quantity, spend } = lines[place]!
      const units = Math.min(quantity, quantity + deltas[place]![0])
      return Array.from({ length: units }, () => Math.floor(spend / quantity))
    })
    .toSorted((a, b) => a - b)
  let units = 0
  for (let cost = prices[0] ?? 0; units < prices.length && cost <= counts; cost += prices[units] ?? 0) units++
  return floor(BigInt(rule.amount) * BigInt(units) * bps, 10_000n)
}

const base = (spend: number, tierBps: number): number =>
  floor(BigInt(spend) * BigInt(rate.amount) * BigInt(tierBps), BigInt(rate.spend) * 10_000n)

/** True if an order counts as closed: it is, or it had spend and nothing of that is left. */
const isOver = (order: Order): boolean =>
  order.closed || (spendOf(order) > 0 && spendOf(order) + order.spendDelta === 0)

/** True if an order earned by the base rule as it was posted. */
const earned = (order: Omit<Order, "given">, minimum: number): boolean =>
  order.earnsSince === true || (spendOf(order) >= minimum && base(spendOf(order), order.tierBps) > 0)

/** The points of an order on an account: what the base and the chosen promotions give to what is left. */
export const kept = (order: Order, unit: string, minimum: number): number => {
  const spend = spendOf(order) + order.spendDelta
  if (isOver(order) || spend < minimum) return 0
  const own = unit === "points" ? base(spend, order.tierBps) : 0
  return own + sum(order.given.filter((rule) => rule.unit === unit).map((rule) => gives(rule, order)))
}

/** First day of a window, in UTC. */
const windowOf = (every: NonNullable<Rule["limit"]>["every"], at: number): string => {
  const date = new Date(at)
  if (every === "promotion") return ""
  if (every === "month") return date.toISOString().slice(0, 7)
  if (every === "week") date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7))
  return date.toISOString().slice(0, 10)
}

const isOpen = ([from, until]: readonly [number, number], at: number): boolean => {
  const hour = Math.floor(at / hourMs) % 24
  return from < until ? hour >= from && hour < until : hour >= from || hour < until
}

/** The promotions that an order gets, after the guest's other orders. */
export const choose = (
  rules: ReadonlyArray<Rule>,
  stacking: "best" | "all",
  minimum: number,
  order: Omit<Order, "given">,
  others: ReadonlyArray<Order>
): ReadonlyArray<Rule> => {
  const open = others.filter((other) => !isOver(other))
  const bare: Order = { ...order, given: [] }
  if (spendOf(order) < minimum) return []
  const possible = rules.filter((rule) => {
    const { first, hours, id, limit } = rule
    if (first && (!earned(order, minimum) || open.some((other) => earned(other, minimum)))) return false
    if (hours !== undefined && (order.isTooLate || !isOpen(hours, order.own))) return false
    if (limit !== undefined) {
      const window = windowOf(limit.every, order.own)
      const used = open.filter(
        (other) => other.given.some((given) => given.id === id) && windowOf(limit.every, other.own) === window
      )
      if (used.length >= limit.count) return false
    }
    return gives(rule, bare) > 0
  })
  if (stacking === "all") return possible
  return ["points", "stamps"].flatMap((unit) =>
    possible
      .filter((rule) => rule.unit === unit)
      .toSorted((a, b) => gives(b, bare) - gives(a, bare) || (a.id < b.id ? -1 : 1))
      .slice(0, 1)
  )
}

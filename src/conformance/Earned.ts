/**
 * Computes what orders must earn from the programme definition that the host
 * returns (contract/orders.md *Earning*, *Accounts of a programme*). Shares no code with the service's
 * own arithmetic, so that a fault there is not repeated here.
 */
import type { Order, OrderLine } from "../contract/protocol/Order.ts"
import type { AccountEarning, ProgramDefinition } from "../contract/protocol/Program.ts"
import type { Channel, LineKind, Unit } from "../contract/Values.ts"

/** 10,000 basis points: no multiplier. */
const wholeBps = 10_000n

export const primaryUnit = (program: ProgramDefinition): Unit =>
  program.accounts.find((account) => account.is_primary)?.unit ?? program.earning.rate.unit

export const rules = (program: ProgramDefinition): ReadonlyArray<AccountEarning> =>
  program.account_earning ?? [
    {
      unit: program.earning.rate.unit,
      mode: "spend",
      amount: program.earning.rate.amount,
      spend: program.earning.rate.spend,
      multiplier_eligible: true
    }
  ]

/** The rule of an account that earns by spend, preferably the primary one. */
export const spendRule = (program: ProgramDefinition): AccountEarning | undefined => {
  const bySpend = rules(program).filter((rule) => rule.mode === "spend" && rule.amount > 0 && rule.spend !== undefined)
  return bySpend.find((rule) => rule.unit === primaryUnit(program)) ?? bySpend[0]
}

export const multiplierBps = (program: ProgramDefinition, tierId: string | undefined): number =>
  program.tiers.find((tier) => tier.tier_id === tierId)?.earn_multiplier_bps ?? Number(wholeBps)

const isEligible = ({ earning: { exclusions } }: ProgramDefinition, line: OrderLine): boolean =>
  line.loyalty_eligible !== false &&
  !exclusions.line_kinds.includes(line.kind) &&
  !exclusions.product_ids.includes(line.product_id) &&
  !exclusions.category_ids.some((category) => line.category_ids?.includes(category) === true) &&
  !exclusions.tags.some((tag) => line.tags?.includes(tag) === true)

const parentOf = ({ lines }: Order, { parent_line_id }: OrderLine): OrderLine | undefined =>
  lines.find(({ line_id }) => line_id === parent_line_id)

/** Whether a line counts. A modifier counts only if its parent does; one that lowers the price does exactly then. */
const counts = (program: ProgramDefinition, order: Order, line: OrderLine): boolean => {
  const parent = line.kind === "modifier" ? parentOf(order, line) : undefined
  const isOwn = isEligible(program, line)
  return parent === undefined ? isOwn : counts(program, order, parent) && (isOwn || line.unit_price.amount < 0)
}

/** Spend of the eligible lines, minor units; ignores channel and minimum. */
const eligibleSpend = (program: ProgramDefinition, order: Order): number =>
  Math.max(
    0,
    order.lines
      .filter((line) => counts(program, order, line))
      .reduce((sum, line) => sum + line.subtotal.amount - line.discount.amount, 0)
  )

const bpsOf = (rule: AccountEarning, tierBps: number): bigint => (rule.multiplier_eligible ? BigInt(tierBps) : wholeBps)

/** Points of one account for an eligible spend. */
export const points = (rule: AccountEarning, spend: number, tierBps: number): number =>
  rule.mode === "per_order"
    ? Number((BigInt(rule.amount) * bpsOf(rule, tierBps)) / wholeBps)
    : Number(
        (BigInt(spend) * BigInt(rule.amount) * bpsOf(rule, tierBps)) / (BigInt(rule.spend?.amount ?? 1) * wholeBps)
      )

/** Points of one account for what is left of an order's spend: nothing below the minimum. */
export const kept = (program: ProgramDefinition, rule: AccountEarning, spend: number, tierBps: number): number =>
  spend < program.earning.minimum_eligible_spend.amount ? 0 : points(rule, spend, tierBps)

/** Amounts that an order earns, for every account with a rule. */
export const expected = (
  program: ProgramDefinition,
  order: Order,
  tierId: string | undefined
): ReadonlyArray<{ readonly unit: Unit; readonly amount: number }> => {
  const spend = eligibleSpend(program, order)
  const { eligible_channels, minimum_eligible_spend } = program.earning
  const earns = eligible_channels.includes(order.channel) && spend >= minimum_eligible_spend.amount
  return rules(program).map((rule) => ({
    unit: rule.unit,
    amount: earns ? points(rule, spend, multiplierBps(program, tierId)) : 0
  }))
}

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b))

/** The smallest spend that earns whole points on every account at a tier's multiplier, so that nothing is rounded. */
export const exactStep = (program: ProgramDefinition, tierBps: number): number => {
  let step = 1n
  for (const rule of rules(program)) {
    if (rule.mode !== "spend" || rule.spend === undefined) continue
    const divisor = BigInt(rule.spend.amount) * wholeBps
    const own = divisor / gcd(divisor, BigInt(rule.amount) * bpsOf(rule, tierBps))
    step = (step * own) / gcd(step, own)
  }
  return Number(step)
}

/** The `times`-th multiple of the exact step at or above the minimum. */
export const exactSpend = (program: ProgramDefinition, tierBps: number, times: number): number => {
  const step = exactStep(program, tierBps)
  return (Math.ceil(Math.max(1, program.earning.minimum_eligible_spend.amount) / step) + times - 1) * step
}

const channels: ReadonlyArray<Channel> = [
  "counter",
  "drive_thru",
  "kiosk",
  "web",
  "mobile",
  "pickup",
  "delivery",
  "other"
]

export const eligibleChannel = (program: ProgramDefinition): Channel | undefined => program.earning.eligible_channels[0]

export const otherChannel = (program: ProgramDefinition): Channel | undefined =>
  channels.find((channel) => !program.earning.eligible_channels.includes(channel))

const kinds: ReadonlyArray<LineKind> = ["item", "modifier", "fee"]

export const eligibleKind = (program: ProgramDefinition): LineKind | undefined =>
  kinds.find((kind) => !program.earning.exclusions.line_kinds.includes(kind))

/**
 * Points that guests must have by what the till did: base points alone, by the programme's public definition. Shares no
 * code with the service's own arithmetic, so that a fault there is not repeated here.
 */
import type { ProgramDefinition } from "../../../../contract/protocol/Program.ts"

/** The rule by which the primary account earns. */
const ruleOf = (program: ProgramDefinition) => {
  const { rate } = program.earning
  const unit = unitOf(program)
  return (
    program.account_earning?.find((rule) => rule.unit === unit) ?? {
      mode: "spend" as const,
      amount: rate.amount,
      spend: rate.spend,
      multiplier_eligible: true
    }
  )
}

/** The unit that is compared. */
export const unitOf = ({ accounts, earning }: ProgramDefinition): string =>
  accounts.find(({ is_primary }) => is_primary)?.unit ?? earning.rate.unit

/** Points for a check's spend in minor units, earned in a tier. */
export const pointsFor = (program: ProgramDefinition, spend: number, tier: string | undefined): number => {
  const { amount, mode, multiplier_eligible: isMultiplied, spend: per } = ruleOf(program)
  const multiplier = isMultiplied
    ? (program.tiers.find(({ tier_id }) => tier_id === tier)?.earn_multiplier_bps ?? 10_000)
    : 10_000
  if (spend <= 0) return 0
  const earned =
    mode === "per_order"
      ? (BigInt(amount) * BigInt(multiplier)) / 10_000n
      : (BigInt(spend) * BigInt(amount) * BigInt(multiplier)) / (BigInt(per?.amount ?? 1) * 10_000n)
  return Number(earned)
}

/** The cost of the catalogue's reward with an offer's name; undefined for others. */
export const costOf = ({ rewards }: ProgramDefinition, name: string): number | undefined =>
  rewards.find((reward) => reward.name === name)?.cost.amount

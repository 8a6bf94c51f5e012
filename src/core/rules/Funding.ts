/** Shares of those who pay for a reward, by largest remainder (contract/redemptions.md *Funding*). */
import type { Funding } from "../../contract/protocol/Program.ts"
import type { Money } from "../../contract/Values.ts"

const wholeBps = 10_000n

const byParty = (a: Funding, b: Funding): number =>
  a.party_type !== b.party_type ? (a.party_type < b.party_type ? -1 : 1) : a.party_id < b.party_id ? -1 : 1

/** The shares with amounts that add up exactly to the value; without a value, no amounts. */
export const split = (shares: ReadonlyArray<Funding>, value: Money | undefined): ReadonlyArray<Funding> => {
  const bare = shares.map(({ party_id, party_type, share_bps }): Funding => ({ party_id, party_type, share_bps }))
  if (value === undefined) return bare
  const parts = bare.map((share) => {
    const product = BigInt(value.amount) * BigInt(share.share_bps)
    return { share, amount: Number(product / wholeBps), remainder: Number(product % wholeBps) }
  })
  let rest = value.amount - parts.reduce((sum, part) => sum + part.amount, 0)
  const ranked = parts.toSorted((a, b) => b.remainder - a.remainder || byParty(a.share, b.share))
  for (const part of ranked) {
    if (rest <= 0) break
    part.amount += 1
    rest -= 1
  }
  return parts.map(({ amount, share }) => ({ ...share, amount: { amount, currency: value.currency } }))
}

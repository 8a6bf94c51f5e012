/**
 * Who pays how much of a reward.
 *
 * Source: decisions.md §4 Redemption.
 */
import type { Funding } from "../contract/Program.ts"
import type { Money } from "../contract/Values.ts"

const WHOLE_BPS = 10_000n

/**
 * Splits a reward's value by the shares (together 10,000 bps) so that the
 * amounts sum to it: everybody gets the whole part of theirs, and what is left
 * goes unit by unit to the largest remainders, ties to the first by party type,
 * then party id (by code unit). Without a value there are no amounts.
 */
export const split = (shares: ReadonlyArray<Funding>, value: Money | undefined): ReadonlyArray<Funding> => {
  if (value === undefined) return shares.map(party)
  const total = BigInt(value.amount)
  const exact = shares.map((share) => total * BigInt(share.share_bps))
  const amounts = exact.map((product) => product / WHOLE_BPS)
  const byRemainder = shares.map((_, index) => index).sort((a, b) =>
    Number(exact[b]! % WHOLE_BPS - exact[a]! % WHOLE_BPS) ||
    compare(shares[a]!.party_type, shares[b]!.party_type) ||
    compare(shares[a]!.party_id, shares[b]!.party_id)
  )
  let left = total - amounts.reduce((sum, amount) => sum + amount, 0n)
  for (const index of byRemainder) {
    if (left === 0n) break
    amounts[index]! += 1n
    left -= 1n
  }
  return shares.map((share, index) => ({
    ...party(share),
    amount: { amount: Number(amounts[index]), currency: value.currency }
  }))
}

const party = ({ party_id, party_type, share_bps }: Funding): Funding => ({ party_id, party_type, share_bps })

const compare = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0

/** The keys of claims and identities. A key leads to the record that made the order, the reward, the member. */
import type { ClaimKey } from "../journal/Hashing.ts"
import type { Claim, Identity } from "../journal/Records.ts"
import type { CardReward } from "./domain/Action.ts"
import type { Want } from "./domain/Recall.ts"

export const order = (claimKey: ClaimKey, program: string, order: string) => claimKey("order", program, order)
/** A move of an order, the first one is 1. Its record has the order until the next one. */
export const movedOrder = (claimKey: ClaimKey, program: string, order: string, move: number) =>
  claimKey("moved order", program, order, String(move))
export const adjustment = (claimKey: ClaimKey, program: string, adjustment: string) =>
  claimKey("adjustment", program, adjustment)
export const redemption = (claimKey: ClaimKey, program: string, redemption: string) =>
  claimKey("redemption", program, redemption)
export const issuedReward = (claimKey: ClaimKey, issued: string) => claimKey("issued", issued)
export const artifact = (claimKey: ClaimKey, program: string, value: string) => claimKey("artifact", program, value)
export const member = (claimKey: ClaimKey, program: string, member: string) => claimKey("member", program, member)
/** The issuer is part of an identity. No issuer is the empty text, so it differs from every issuer. */
export const identity = (claimKey: ClaimKey, program: string, { issuer = "", type, value }: Identity) =>
  claimKey("identity", program, type, issuer, value)
/** A profile's external id. */
export const externalId = (claimKey: ClaimKey, program: string, external: string) =>
  claimKey("external id", program, external)
/** The claims of a stamp card's or challenge's reward: its id and its code. */
export const claimsOfCard = (claimKey: ClaimKey, program: string, card: CardReward): ReadonlyArray<Claim> =>
  [issuedReward(claimKey, card.issued), artifact(claimKey, program, card.code)].map((key) => ({
    key,
    fingerprint: key
  }))
export const idempotency = (claimKey: ClaimKey, program: string, system: string, operation: string, key: string) =>
  claimKey("key", program, system, operation, key)

export const wanted = (claimKey: ClaimKey, program: string, want: Want) =>
  want.type === "order" ? order(claimKey, program, want.id) : issuedReward(claimKey, want.id)

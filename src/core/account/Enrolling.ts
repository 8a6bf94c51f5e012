/** Enrols guests. */
import * as Effect from "effect/Effect"
import { said } from "../../contract/Said.ts"
import { accountNumber, partitionOf } from "../cluster/Placement.ts"
import type { AccountNumber, JournalUnavailable } from "../journal/Records.ts"
import * as ClaimKeys from "./ClaimKeys.ts"
import * as Codes from "./Codes.ts"
import type { Command } from "./Command.ts"
import { refusal } from "./domain/Refusal.ts"
import type { Lookup } from "./Lookup.ts"
import { type Outcome, orUnavailable } from "./Outcome.ts"
import type { PlainEnrolment } from "./Remote.ts"
import * as Remote from "./Remote.ts"
import type { Enrolment } from "./Request.ts"
import * as UnknownMember from "./UnknownMember.ts"

/** Enrols under a new account number, or answers with the member that has the identity. */
export const enroll = (lookup: Lookup, enrolment: Enrolment): Effect.Effect<Outcome, JournalUnavailable> =>
  Effect.gen(function* () {
    const { journal } = lookup.deps
    const { identity, program } = enrolment
    const identityKey = ClaimKeys.identity(journal.claimKey, program, identity)
    const held = yield* journal.findIdentity(identityKey)
    if (held !== undefined) return yield* foundBy(lookup, enrolment, held)
    const { audit, member = Codes.identifier("mem"), ...given } = enrolment
    return yield* enrollNew(lookup, { ...given, member, entry: audit?.(member) }, identityKey)
  })

/** Enrols a member whose id is made, on the node that the new account belongs to. */
export const enrollNew = (
  lookup: Lookup,
  enrolment: PlainEnrolment & { readonly member: string },
  identityKey: string
): Effect.Effect<Outcome, JournalUnavailable> =>
  Effect.gen(function* () {
    const { partitions } = lookup
    const { journal } = lookup.deps
    const { attributes, entry, identity, joined, key, member, moves, profile, program, via } = enrolment
    const memberKey = ClaimKeys.member(journal.claimKey, program, member)
    const n = yield* journal.newAccountNumber
    const number = accountNumber(n, partitions.forNew(n))
    if (!lookup.isMine(number))
      return yield* Remote.call<Outcome>(
        partitions,
        partitionOf(number),
        { type: "enroll", enrolment },
        orUnavailable(Effect.suspend(() => enrollNew(lookup, enrolment, identityKey)))
      )
    const opens = {
      programId: program,
      memberId: member,
      identities: [identity, ...(enrolment.identities ?? [])],
      ...(joined === undefined ? undefined : { joined }),
      ...(attributes === undefined ? undefined : { attributes })
    }
    const account = lookup.opening(number, opens)
    const id = profile?.fields.external_id ?? undefined
    const external = id === undefined ? undefined : ClaimKeys.externalId(journal.claimKey, program, id)
    const guards = key === undefined ? {} : { key }
    const command: Command = {
      action: { type: "enroll", program, member, identity: identityKey, external, via, joined, moves },
      profile,
      guards: { ...guards, further: [{ key: memberKey, fingerprint: identityKey }, ...(enrolment.further ?? [])] },
      actor: enrolment.actor,
      origin: enrolment.origin,
      audit: entry
    }
    const outcome = yield* account.enroll(command)
    if (outcome._tag === "Answered" && outcome.record.account === number) {
      lookup.learn(program, member, number)
      return outcome
    }
    // Nothing was written under the number; a replay belongs to another account.
    lookup.notOpened(number)
    if (outcome._tag !== "Taken") return outcome
    // A concurrent enrolment of the identity may have used the same member id. Either claim names that member.
    const { holder } = outcome
    const isOfIdentity =
      holder.key === identityKey ||
      // The member that was enrolled with the identity may have lost it since.
      (holder.fingerprint === identityKey && (yield* journal.findIdentity(identityKey)) === holder.account)
    if (isOfIdentity) return yield* foundBy(lookup, enrolment, holder.account)
    const taken = refusal("conflict", said`Member id ${member} belongs to another identity.`)
    return yield* UnknownMember.refuse(lookup, program, member, { ...command, guards }, taken)
  })

const foundBy = (
  lookup: Lookup,
  enrolment: Pick<Enrolment, "actor" | "key" | "origin" | "program">,
  account: AccountNumber
): Effect.Effect<Outcome> =>
  lookup.account(account, enrolment.program).execute({
    action: { type: "find_member" },
    guards: enrolment.key === undefined ? {} : { key: enrolment.key },
    actor: enrolment.actor,
    origin: enrolment.origin
  })

/**
 * Links by which guests end mails without signing in (contract/engagement.md *Mails of campaigns*): the token is sealed, so that
 * nobody makes one, works as long as the guest is there, and is kept nowhere.
 */
import { Effect, Option, Schema } from "effect"
import { PeoplePool } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import type { Refused } from "../../contract/Refused.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import { isErased, mergedAccounts } from "../../core/account/domain/State.ts"
import type { ClaimKey } from "../../core/journal/Hashing.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { CurrentCaller, type RequestCaller } from "../../desk/access/CurrentCaller.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { refusedBy } from "../../desk/surface/Refusal.ts"
import * as Sealed from "../../desk/surface/Sealed.ts"
import * as Profiles from "../members/Profiles.ts"
import * as Store from "./MailingStore.ts"

const owner = "unsubscribe"

const Facts = Schema.fromJsonString(Schema.Struct({ campaign: Schema.String, account: Schema.Number }))
const encode = Schema.encodeSync(Facts)
const decode = Schema.decodeUnknownOption(Facts)

export const tokenOf = (claimKey: ClaimKey, facts: typeof Facts.Type): string =>
  Sealed.seal(claimKey, owner, encode(facts)).toString("base64url")

/** The guest, whom the token names: nobody is signed in. */
const callerOf = (program: string, account: number, requestId: string | undefined): RequestCaller => ({
  kind: "guest",
  keyId: `guest ${account}`,
  name: "guest",
  scopes: new Set(),
  programs: new Set([program]),
  sourceIp: undefined,
  requestId
})

export interface Unsubscribe {
  readonly program: string
  readonly token: string
  readonly requestId: string | undefined
}

/** Records that the guest agrees to no marketing by e-mail. False: no mail has this token. Doing it again changes nothing. */
export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const programs = yield* Programs
  const { query } = yield* PeoplePool
  const { claimKey } = yield* Journal
  const { now } = yield* serviceTime
  const profiles = yield* Profiles.make(query)
  return Effect.fn("Unsubscribing.unsubscribe")(function* ({
    program: id,
    requestId,
    token
  }: Unsubscribe): Effect.fn.Return<boolean, Refused> {
    const program = programs.get(id)
    const opened = Option.getOrUndefined(decode(Sealed.opened(claimKey, owner, Buffer.from(token, "base64url"))))
    if (program === undefined || opened === undefined) return false
    const { account, campaign } = opened
    const found = yield* accounts.readOn(account)
    if (found === undefined) return false
    if (found._tag !== "Resident") return yield* refusedBy(found)
    const { state } = found
    if (state.program !== id) return false
    // A guest who is gone gets no mail anyway.
    if (!isErased(state) && state.status !== "closed") {
      const caller = callerOf(id, found.account, requestId)
      const audit = yield* Effect.provideService(Audit.maker, CurrentCaller, caller)
      const consent = [
        { purpose: "marketing", channel: "email" as const, granted: false, source: `unsubscribe ${campaign}` }
      ]
      yield* profiles
        .upsert(
          program,
          { member_id: state.member, consent },
          { via: "guest", actor: "guest", origin: requestId, audit }
        )
        .pipe(Effect.provideService(CurrentCaller, caller))
    }
    yield* Store.unsubscribe(query, campaign, [account, found.account, ...mergedAccounts(state)], now())
    return true
  })
})

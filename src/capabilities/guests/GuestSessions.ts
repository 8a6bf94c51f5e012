/** Finds and opens sessions of guests (contract/guests.md *Sessions*). */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { randomBytes } from "node:crypto"
import { PeoplePool, type Query } from "../../base/database/Pools.ts"
import { machineTime } from "../../base/time/Times.ts"
import type { GuestSession } from "../../contract/guest/Sessions.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Accounts } from "../../core/account/Accounts.ts"
import { unavailable } from "../../core/account/Outcome.ts"
import { Programs } from "../../core/programs/Programs.ts"
import type { Program } from "../../core/rules/Program.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { deviceOf } from "../../desk/access/Device.ts"
import { digestOf } from "../../desk/access/Keys.ts"
import { csrfTokenOf } from "../../desk/access/Sessions.ts"
import { refuse, refusedBy } from "../../desk/surface/Refusal.ts"
import * as Bounds from "./Bounds.ts"
import { type Guest, pageOf } from "./CurrentGuest.ts"
import { cookieOf } from "./GuestCookie.ts"
import * as Store from "./SessionStore.ts"
import * as SignIns from "./SignIns.ts"

export const needed = Effect.gen(function* () {
  const { query, transaction } = yield* PeoplePool
  return {
    accounts: yield* Accounts,
    programs: yield* Programs,
    query,
    transaction,
    /** The machine's time, ms. */
    now: (yield* machineTime).now
  }
})
export type Parts = Effect.Success<typeof needed>

/** The language of a guest who has chosen one: the programme's first if its page has not that one. */
export const languageOf = (program: Program, chosen: string | undefined): string => {
  const languages: ReadonlyArray<string> = pageOf(program)?.languages ?? []
  return chosen !== undefined && languages.includes(chosen) ? chosen : (languages[0] ?? "en")
}

/** The account of a session and its member's id. A session that began while its guest was merged follows here. */
const heirOf = Effect.fnUntraced(function* ({ accounts, query }: Parts, found: Store.Found, hash: Buffer) {
  const { account, member, status } = found
  if (status !== "closed") return { account, member }
  const resident = (yield* accounts.readOn(account)) ?? unavailable
  if (resident._tag !== "Resident") return yield* refusedBy(resident)
  if (resident.account !== account) yield* Store.move(query, hash, resident.account)
  return { account: resident.account, member: resident.state.member }
})

/** The guest of a session's id; undefined: there is no such session. */
export const find = Effect.fnUntraced(function* (parts: Parts, program: Program, id: string) {
  const { now, query } = parts
  const hash = digestOf(id)
  const at = now()
  const found = yield* Store.find(query, program.id, hash, at)
  if (found === undefined) return undefined
  if (at >= found.seenAt + Bounds.seenMs) yield* Store.saw(query, hash, at)
  const { account, member } = yield* heirOf(parts, found, hash)
  const guest: Guest = {
    program,
    account,
    memberId: member,
    language: languageOf(program, found.language),
    leavesAt: found.leavesAt,
    session: {
      hash: hash.toString("hex"),
      csrfToken: csrfTokenOf(id),
      by: found.by,
      freshUntil: found.freshUntil !== undefined && found.freshUntil > at ? found.freshUntil : undefined,
      expiresAt: found.endsAt
    }
  }
  return guest
})

/** A session in the contract's form. */
export const shown = ({ language, session: { by, csrfToken, expiresAt, freshUntil } }: Guest): GuestSession => ({
  csrf_token: csrfToken,
  expires_at: fromMillis(expiresAt),
  by,
  ...(freshUntil === undefined ? undefined : { fresh_until: fromMillis(freshUntil) }),
  language
})

/** A session that was opened. Only the answer's cookie has its id. */
export interface Opened {
  readonly id: string
  /** True: the guest was leaving, and stays. */
  readonly stays: boolean
  /** True: who meant to join had an account. */
  readonly hadAccount?: boolean
}

type Opening = Pick<Store.NewSession, "account" | "by" | "freshUntil">

/** Adds a session in the transaction of `query`. */
export const begin = Effect.fnUntraced(function* (query: Query, program: Program, opening: Opening, now: number) {
  const id = randomBytes(32).toString("base64url")
  const { userAgent } = yield* CurrentCaller
  const stays = yield* Store.stay(query, opening.account)
  yield* Store.insert(query, { ...opening, hash: digestOf(id), program: program.id, device: deviceOf(userAgent), now })
  return { id, stays } satisfies Opened
})

/** The answer to a guest who is signed in, with the session's cookie. */
export const signedIn = Effect.fnUntraced(function* (parts: Parts, program: Program, opened: Opened, status = 200) {
  const { hadAccount = false, id, stays } = opened
  const guest = yield* find(parts, program, id)
  if (guest === undefined) return yield* refuse("unauthorized", "The guest is none any more.")
  const { host } = yield* CurrentCaller
  return HttpServerResponse.jsonUnsafe(
    {
      status: "signed_in",
      session: shown(guest),
      ...(stays ? { stays } : undefined),
      ...(hadAccount ? { had_account: true } : undefined)
    },
    { status, headers: { "set-cookie": cookieOf(host, program.id, id) } }
  )
})

/** Signs in by a link, which is spent. */
export const byLink = Effect.fnUntraced(function* (parts: Parts, program: Program, token: string) {
  const { now, query, transaction } = parts
  const at = now()
  const opened = yield* transaction(
    Effect.gen(function* () {
      const account = yield* Store.spendLink(query, program.id, digestOf(token), at)
      return account === undefined
        ? undefined
        : yield* begin(query, program, { account, by: "link", freshUntil: undefined }, at)
    })
  )
  yield* SignIns.count("link", opened === undefined ? "refused" : "signed_in")
  if (opened === undefined) return yield* refuse("unauthorized", "The link was used, or is over. Ask for another one.")
  return yield* signedIn(parts, program, opened)
})

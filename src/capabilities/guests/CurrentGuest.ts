/** The guest who calls a route of `/my/api/v1` (contract/guests.md *Sessions*). */
import { Context, Effect } from "effect"
import type { SignedInBy } from "../../contract/guest/Sessions.ts"
import type { Refused } from "../../contract/Refused.ts"
import { said } from "../../contract/Said.ts"
import type { Program } from "../../core/rules/Program.ts"
import type { KeyCaller } from "../../desk/access/CurrentCaller.ts"
import { refuse } from "../../desk/surface/Refusal.ts"

interface SessionOfGuest {
  /** SHA-256 of its id, hexadecimal. */
  readonly hash: string
  readonly csrfToken: string
  readonly by: SignedInBy
  /** ms; undefined: a code is needed first. */
  readonly freshUntil: number | undefined
  /** ms */
  readonly expiresAt: number
}

export interface Guest {
  readonly program: Program
  /** After a merge the one that remains. */
  readonly account: number
  readonly memberId: string
  /** One of the page's languages. */
  readonly language: string
  /** When everything of the guest is erased, ms; undefined: the guest has not asked to leave. */
  readonly leavesAt: number | undefined
  readonly session: SessionOfGuest
}

/** Provided to handlers of routes whose authentication is `guest`, and to no others. */
export class CurrentGuest extends Context.Service<CurrentGuest, Guest>()("lotbook/capabilities/guests/CurrentGuest") {}

/** The guest of a session with a fresh code: a telephone that was left on a table changes and shows nothing of weight. */
export const freshGuest = Effect.flatMap(CurrentGuest, (guest) =>
  guest.session.freshUntil === undefined
    ? refuse("forbidden", "The session needs a fresh code first.")
    : Effect.succeed(guest)
)

type Page = NonNullable<Program["file"]["guest_page"]>

/** The page of a programme; undefined: it has none. */
export const pageOf = (program: Program | undefined): Page | undefined => program?.file.guest_page

/** The guest as the caller of commands and in the audit. Names nobody. */
export const callerOf = ({ account, program }: Pick<Guest, "account" | "program">): KeyCaller => ({
  kind: "guest",
  keyId: `guest ${account}`,
  name: "guest",
  scopes: new Set(),
  programs: new Set([program.id])
})

/** The guest's programme page, in a programme that has one. */
export const pagedProgram = (program: Program): Effect.Effect<Page, Refused> => {
  const page = pageOf(program)
  return page === undefined
    ? refuse("not_found", said`Programme ${program.id} has no page for guests.`)
    : Effect.succeed(page)
}

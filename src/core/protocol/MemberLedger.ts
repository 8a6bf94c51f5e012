/**
 * A member's ledger: its own entries and those of the members merged into it, each
 * with its own member's id, newest first (contract/points.md *Ledger list*).
 */
import { Effect } from "effect"
import { mergedMembers } from "../account/domain/State.ts"
import type { Resident } from "../account/Outcome.ts"
import type { LedgerReads } from "../journal/LedgerReads.ts"
import type { JournalUnavailable, LedgerQuery, LedgerRow } from "../journal/Records.ts"
import type { Program } from "../rules/Program.ts"
import { ownerOf } from "./Reads.ts"
import * as Render from "./Render.ts"

export interface Entry {
  readonly owner: Render.Owner
  readonly row: LedgerRow
}

/** The member of the entries, and which of them. */
export interface EntriesRead extends Omit<LedgerQuery, "account" | "beforeN" | "limit"> {
  readonly owners: ReadonlyArray<Render.Owner>
}

const ownersOf = (resident: Resident): ReadonlyArray<Render.Owner> => {
  const own = ownerOf(resident)
  return [own, ...mergedMembers(resident.state).map(({ account, member }) => ({ ...own, account, member }))]
}

/** The entries of all balances, or of one; undefined if the member has no such balance. */
export const asked = (
  resident: Resident,
  program: Program,
  accountId: string | undefined,
  filters: Omit<EntriesRead, "owners" | "unit">
): EntriesRead | undefined => {
  const owners = ownersOf(resident)
  if (accountId === undefined) return { ...filters, owners }
  for (const owner of owners)
    for (const { unit } of program.accounts)
      if (Render.accountId(owner, unit) === accountId) return { ...filters, owners: [owner], unit }
  return undefined
}

/** Where an entry stands in the list, as text for a cursor. */
export const placeOf = ({ owner, row }: Entry): string =>
  [row.occurredAt, owner.account, row.n].map((part) => part.toString(36)).join("~")

/** The entries of one member that follow a place. Those of an account have rising times, so that no other query is needed. */
const following = (account: number, place: string | undefined, until: number | undefined) => {
  if (place === undefined) return { occurredUntil: until }
  const [at = 0, of = 0, n = 0] = place.split("~").map((part) => Number.parseInt(part, 36))
  const latest = account > of ? at - 1 : at
  return { occurredUntil: Math.min(until ?? latest, latest), ...(account === of ? { beforeN: n } : undefined) }
}

const newestFirst = (a: Entry, b: Entry): number =>
  b.row.occurredAt - a.row.occurredAt || b.owner.account - a.owner.account || b.row.n - a.row.n

/** At most `limit` entries after a place; undefined: from the newest on. */
export const page = (
  ledger: LedgerReads["ledger"],
  { owners, ...query }: EntriesRead,
  after: string | undefined,
  limit: number
): Effect.Effect<ReadonlyArray<Entry>, JournalUnavailable> =>
  Effect.map(
    Effect.forEach(owners, (owner) => {
      const { account } = owner
      const rows = ledger({ ...query, account, ...following(account, after, query.occurredUntil), limit })
      return Effect.map(rows, (found) => found.map((row): Entry => ({ owner, row })))
    }),
    (lists) => lists.flat().toSorted(newestFirst).slice(0, limit)
  )

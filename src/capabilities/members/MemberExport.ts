/** Everything about one guest as one JSON document, streamed (contract/operators.md *A file of everything*). */
import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import { mergedAccounts } from "../../core/account/domain/State.ts"
import * as MemberLedger from "../../core/protocol/MemberLedger.ts"
import { ownerOf } from "../../core/protocol/Reads.ts"
import * as Render from "../../core/protocol/Render.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { csvPage } from "../../desk/surface/Bounds.ts"
import { orUnavailable } from "../../desk/surface/Refusal.ts"
import * as EventStore from "../events/EventStore.ts"
import type { Named } from "./OneMember.ts"
import * as OneMember from "./OneMember.ts"
import * as ProfileStore from "./ProfileStore.ts"
import { shownEntry } from "./ShownEntries.ts"

/** A property whose value is a list of many pages. A page with fewer than `csvPage` rows is the last. */
const listed = <Row>(
  name: string,
  read: (after: Row | undefined) => Effect.Effect<ReadonlyArray<Row>, Refused>,
  shown: (row: Row) => unknown
): Stream.Stream<string, Refused> => {
  const pages = Stream.paginate<Row | undefined, string, Refused>(undefined, (after) =>
    Effect.map(read(after), (rows) => {
      const text = rows.map((row) => JSON.stringify(shown(row))).join(",")
      const isFirst = after === undefined
      const last = rows.at(-1)
      const next = rows.length < csvPage || last === undefined ? Option.none() : Option.some(last)
      return [[isFirst || rows.length === 0 ? text : `,${text}`], next]
    })
  )
  return Stream.make(`,${JSON.stringify(name)}:[`).pipe(Stream.concat(pages), Stream.concat(Stream.make("]")))
}

/**
 * The file, as an answer to download. `isOwn`: the guest takes it, and it does not tell which keys recorded the consents.
 */
export const exported = Effect.fnUntraced(function* (parts: OneMember.Parts, named: Named, isOwn = false) {
  const { journal, people } = parts
  const seen = yield* OneMember.see(parts, named)
  const { at, program, resident, state } = seen
  const owner = ownerOf(resident)
  const { member_id, program_id } = named
  const { member, ...shown } = yield* OneMember.show(parts, named)
  const head = Render.present<object>({
    exported_at: fromMillis(at),
    program_id,
    member,
    ...shown,
    // Not only those that are open: what was used, and what has ended, is the guest's too.
    reservations: state.reservations.map((hold) => Render.reservation(owner, hold)),
    issued_rewards: state.rewards.map((reward) => OneMember.walletReward(owner, reward))
  })
  const asked = MemberLedger.asked(resident, program, undefined, {})
  // Before the first byte: entries that are archived and cannot be read refuse the whole file. No entry is of no operation.
  if (asked !== undefined)
    yield* orUnavailable(MemberLedger.page(journal.ledger, { ...asked, operations: [] }, undefined, 1))
  const ledger = listed<MemberLedger.Entry>(
    "ledger",
    (after) => {
      const place = after === undefined ? undefined : MemberLedger.placeOf(after)
      return asked === undefined
        ? Effect.succeed([])
        : orUnavailable(MemberLedger.page(journal.ledger, asked, place, csvPage))
    },
    (entry) => Render.present(shownEntry(entry.owner, entry.row))
  )
  const consents = listed(
    "consent_history",
    (after: ProfileStore.RecordedConsent | undefined) =>
      ProfileStore.consentHistory(people.query, resident.account, after, csvPage),
    ({ shown: { recorded_by, ...decision } }) => (isOwn ? decision : { ...decision, recorded_by })
  )
  const events = listed(
    "events",
    (after: EventStore.StoredEvent | undefined) =>
      EventStore.list(people.query, {
        program: program.id,
        accounts: [resident.account, ...mergedAccounts(state)],
        type: undefined,
        campaign: undefined,
        from: undefined,
        until: undefined,
        after,
        limit: csvPage
      }),
    ({ event }) => event
  )
  // Before the first byte: nobody takes a file without an entry.
  yield* Audit.tell(people.query, {
    action: "member.export",
    subject: { type: "member", id: member_id },
    programId: program_id
  })
  const text = Stream.make(JSON.stringify(head).slice(0, -1)).pipe(
    Stream.concat(ledger),
    Stream.concat(consents),
    Stream.concat(events),
    Stream.concat(Stream.make("}"))
  )
  return HttpServerResponse.stream(Stream.encodeText(text), {
    contentType: "application/json",
    headers: { "content-disposition": `attachment; filename="guest-${encodeURIComponent(member_id)}.json"` }
  })
})

export const layer = HttpApiBuilder.group(AdminApi, "member_export", (handlers) =>
  Effect.map(OneMember.needed, (parts) => handlers.handle("exportMember", ({ params }) => exported(parts, params)))
)

/** Everything about one guest as one JSON document or as a page that prints, streamed (contract/operators.md *A file of everything*). */
import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { Query } from "../../base/database/Pools.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { Language } from "../../contract/Languages.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import { isOwn, mergedAccounts } from "../../core/account/domain/State.ts"
import * as MemberLedger from "../../core/protocol/MemberLedger.ts"
import { ownerOf } from "../../core/protocol/Reads.ts"
import * as Render from "../../core/protocol/Render.ts"
import type { Program } from "../../core/rules/Program.ts"
import * as Audit from "../../desk/surface/Audit.ts"
import { csvPage } from "../../desk/surface/Bounds.ts"
import { orUnavailable } from "../../desk/surface/Refusal.ts"
import * as EventStore from "../events/EventStore.ts"
import * as Locations from "../operators/Locations.ts"
import * as Logos from "../programs/Logos.ts"
import * as EntryEvents from "./EntryEvents.ts"
import * as LedgerRequests from "./LedgerRequests.ts"
import type { Named } from "./OneMember.ts"
import * as OneMember from "./OneMember.ts"
import * as Printed from "./PrintedMember.ts"
import * as ProfileStore from "./ProfileStore.ts"
import { causeOfRow, kindOfRow, shownEntry } from "./ShownEntries.ts"

/** The pages of a list, each with its rows; one with fewer than `csvPage` rows is the last. */
const pagesOf = <Row>(
  read: (after: Row | undefined) => Effect.Effect<ReadonlyArray<Row>, Refused>
): Stream.Stream<ReadonlyArray<Row>, Refused> =>
  Stream.paginate<Row | undefined, ReadonlyArray<Row>, Refused>(undefined, (after) =>
    Effect.map(read(after), (rows) => {
      const last = rows.at(-1)
      return [[rows], rows.length < csvPage || last === undefined ? Option.none() : Option.some(last)]
    })
  )

type Pages<Row> = Stream.Stream<ReadonlyArray<Row>, Refused>

/**
 * Everything about a guest: what is known at once, and lists that are read while they are sent. The audit has it, and nothing
 * that is archived and cannot be read is missing: else it is refused as a whole. `isByGuest`: the guest takes it, and it does
 * not tell which keys recorded the consents.
 */
const gathered = Effect.fnUntraced(function* (parts: OneMember.Parts, named: Named, isByGuest: boolean) {
  const { journal, people } = parts
  const seen = yield* OneMember.see(parts, named)
  const { at, program, resident, state } = seen
  const owner = ownerOf(resident)
  const { member_id, program_id } = named
  const head: Printed.Head = {
    exported_at: fromMillis(at),
    program_id,
    ...(yield* OneMember.show(parts, named)),
    // Not only those that are open: what was used, and what has ended, is the guest's too.
    ...Render.present<Pick<Printed.Head, "reservations" | "issued_rewards">>({
      reservations: state.reservations.map((hold) => Render.reservation(owner, hold)),
      issued_rewards: state.rewards.filter(isOwn).map((reward) => OneMember.walletReward(owner, reward))
    })
  }
  const asked = MemberLedger.asked(resident, program, undefined, {})
  // Before the first byte: entries that are archived and cannot be read refuse the whole file. No entry is of no operation.
  if (asked !== undefined)
    yield* orUnavailable(MemberLedger.page(journal.ledger, { ...asked, operations: [] }, undefined, 1))
  const entries: Pages<MemberLedger.Entry> = pagesOf((after) => {
    const place = after === undefined ? undefined : MemberLedger.placeOf(after)
    return asked === undefined
      ? Effect.succeed([])
      : orUnavailable(MemberLedger.page(journal.ledger, asked, place, csvPage))
  })
  const consents = Stream.map(
    pagesOf((after: ProfileStore.RecordedConsent | undefined) =>
      ProfileStore.consentHistory(people.query, resident.account, after, csvPage)
    ),
    (rows) =>
      rows.map(({ shown: { recorded_by, ...decision } }) => (isByGuest ? decision : { ...decision, recorded_by }))
  )
  const events = Stream.map(
    pagesOf((after: EventStore.StoredEvent | undefined) =>
      EventStore.list(people.query, {
        program: program.id,
        accounts: [resident.account, ...mergedAccounts(state)],
        type: undefined,
        campaign: undefined,
        from: undefined,
        until: undefined,
        after,
        limit: csvPage
      })
    ),
    (rows) => rows.map(({ event }) => event)
  )
  // Before the first byte: nobody takes a file without an entry.
  yield* Audit.tell(people.query, {
    action: "member.export",
    subject: { type: "member", id: member_id },
    programId: program_id
  })
  return { consents, entries, events, head, program, account: resident.account }
})

/** A property whose value is a list of many pages. */
const listed = <Row>(name: string, pages: Pages<Row>, shown: (row: Row) => unknown): Stream.Stream<string, Refused> => {
  const text = pages.pipe(
    Stream.zipWithIndex,
    Stream.map(([rows, at]) => {
      const items = rows.map((row) => JSON.stringify(shown(row))).join(",")
      return at === 0 || rows.length === 0 ? items : `,${items}`
    })
  )
  return Stream.make(`,${JSON.stringify(name)}:[`).pipe(Stream.concat(text), Stream.concat(Stream.make("]")))
}

/** The file, as an answer to download. */
export const exported = Effect.fnUntraced(function* (parts: OneMember.Parts, named: Named, isByGuest = false) {
  const { consents, entries, events, head } = yield* gathered(parts, named, isByGuest)
  const text = Stream.make(JSON.stringify(head).slice(0, -1)).pipe(
    Stream.concat(listed("ledger", entries, ({ owner, row }) => Render.present(shownEntry(owner, row)))),
    Stream.concat(listed("consent_history", consents, (decision) => decision)),
    Stream.concat(listed("events", events, (event) => event)),
    Stream.concat(Stream.make("}"))
  )
  return HttpServerResponse.stream(Stream.encodeText(text), {
    contentType: "application/json",
    headers: { "content-disposition": `attachment; filename="guest-${encodeURIComponent(named.member_id)}.json"` }
  })
})

/** A list as a table: its rows, or that there is none. */
const tabled = <E>(
  sheet: Printed.Sheet,
  title: string,
  columns: ReadonlyArray<Printed.Cell>,
  pages: Stream.Stream<ReadonlyArray<ReadonlyArray<Printed.Cell>>, E>
): Stream.Stream<string, E> => {
  const rows = pages.pipe(
    Stream.zipWithIndex,
    Stream.map(([all, at]) =>
      at === 0 && all.length === 0 ? Printed.noRows(sheet, columns.length) : all.map(Printed.row).join("")
    )
  )
  return Stream.make(Printed.tableBegin(title, columns)).pipe(
    Stream.concat(rows),
    Stream.concat(Stream.make(Printed.tableEnd))
  )
}

export const printing = Effect.all({ member: OneMember.needed, logo: Logos.reader })

/** The parts of the page. */
export type Printing = Effect.Success<typeof printing>

/** The language that the guest has chosen, the one that is asked for, or that of the guests' page. */
const languageOf = (query: Query, account: number, program: Program, asked: Language | undefined) =>
  Effect.map(
    ProfileStore.chosenLanguage(query, account),
    (chosen) => chosen ?? asked ?? program.file.guest_page?.languages[0] ?? "en"
  )

/** Rows of entries, with what their records tell. */
const entryRows = Effect.fnUntraced(function* (
  { journal, people }: OneMember.Parts,
  sheet: Printed.Sheet,
  entries: ReadonlyArray<MemberLedger.Entry>
) {
  const events = yield* orUnavailable(EntryEvents.eventsOf(journal, entries))
  const ids = new Set(entries.flatMap(({ row }) => row.locationId ?? []))
  const names = yield* Locations.namesOf(people.query, [...ids])
  return entries.map((entry) => {
    const { owner, row } = entry
    const posted = EntryEvents.postedOf(events, entry)
    const told: Printed.Told = {
      cause:
        posted === undefined ? causeOfRow(row) : LedgerRequests.causeOf(posted, EntryEvents.besides(events, entry)),
      kind: kindOfRow(row),
      place: row.locationId === undefined ? undefined : (names.get(row.locationId) ?? row.locationId),
      promotions: EntryEvents.promotionsOf(posted)
    }
    return Printed.entryRow(sheet, told, Render.present(shownEntry(owner, row)))
  })
})

/** The same as a page that prints, in the guest's language. `asked`: the language if the guest has chosen none. */
export const printed = Effect.fnUntraced(function* (
  { logo, member }: Printing,
  named: Named,
  asked: Language | undefined,
  isByGuest = false
) {
  const { query } = member.people
  const { account, consents, entries, events, head, program } = yield* gathered(member, named, isByGuest)
  const language = yield* languageOf(query, account, program, asked)
  const picture = yield* logo(program.id)
  const joined = Printed.attributesOf(head)["join_location"]
  const places = yield* Locations.namesOf(query, typeof joined === "string" ? [joined] : [])
  const sheet: Printed.Sheet = { language, places, program, logo: picture?.url }
  const { consents: ofConsents, entries: ofEntries, events: ofEvents } = Printed.listTitles(sheet)
  const rowsOfEntries = Stream.mapEffect(entries, (rows) => entryRows(member, sheet, rows))
  const rowsOf = <Row>(pages: Pages<Row>, row: (sheet: Printed.Sheet, one: Row) => ReadonlyArray<Printed.Cell>) =>
    Stream.map(pages, (rows) => rows.map((one) => row(sheet, one)))
  const text = Stream.make(Printed.pageBegin(sheet, head)).pipe(
    Stream.concat(tabled(sheet, ofConsents, Printed.consentColumns(sheet), rowsOf(consents, Printed.consentRow))),
    Stream.concat(tabled(sheet, ofEntries, Printed.entryColumns(sheet), rowsOfEntries)),
    Stream.concat(tabled(sheet, ofEvents, Printed.eventColumns(sheet), rowsOf(events, Printed.eventRow))),
    Stream.concat(Stream.make(Printed.pageEnd))
  )
  return HttpServerResponse.stream(Stream.encodeText(text), {
    contentType: "text/html; charset=utf-8",
    headers: {
      "content-security-policy": Printed.securityPolicy,
      "cache-control": "no-store",
      "referrer-policy": "no-referrer"
    }
  })
})

export const layer = HttpApiBuilder.group(AdminApi, "member_export", (handlers) =>
  Effect.gen(function* () {
    const parts = yield* printing
    return handlers
      .handle("exportMember", ({ params }) => exported(parts.member, params))
      .handle("printMember", ({ params, query }) => printed(parts, params, query.language))
  })
)

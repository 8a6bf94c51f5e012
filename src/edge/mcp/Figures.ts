/** Tools about programmes: which there are, their figures, audiences, and what people have done. */
import { Effect } from "effect"
import type { AuditList } from "../../contract/admin/Audit.ts"
import { auditPath } from "../../contract/admin/Audit.ts"
import type { ProgramList } from "../../contract/admin/ProgramsInForce.ts"
import { programsPath } from "../../contract/admin/ProgramsInForce.ts"
import type { Analytics } from "../../contract/platform/Analytics.ts"
import { Bucket } from "../../contract/platform/Analytics.ts"
import { platformPath } from "../../contract/platform/Platform.ts"
import type { Preview, Segment } from "../../contract/platform/Segments.ts"
import { previewPath, segmentsPath } from "../../contract/platform/Segments.ts"
import { Cursor, ForeignId, Text, Timestamp, Value } from "../../contract/Values.ts"
import * as Bounds from "./Bounds.ts"
import { said } from "./GuestText.ts"
import { answer } from "./ToolAnswer.ts"
import * as Toolbox from "./Toolbox.ts"
import * as Words from "./Words.ts"

const cursor = Toolbox.optionally(Cursor, "next_cursor of the previous answer, with the same other parameters.")
const more = (next: string | undefined): string => (next === undefined ? "" : " There are more: ask again with cursor.")

export const listPrograms = Toolbox.make("list_programs", {
  title: "List programmes",
  description: "The programmes that the caller may see, with their names, versions and numbers of members.",
  asks: ["listPrograms"],
  parameters: { cursor }
})

const programs = Toolbox.handler("list_programs", (asked: { readonly cursor?: string }) =>
  Effect.map(Toolbox.get<typeof ProgramList.Type>(programsPath, { ...asked, limit: String(Bounds.rows) }), (data) =>
    answer({
      summary: `${Words.count(data.programs.length, "programme")}.${more(data.next_cursor)}`,
      data
    })
  )
)

export const programFigures = Toolbox.make("program_figures", {
  title: "Figures of a programme",
  description:
    "Members, outstanding points, what was issued, redeemed and expired, orders and spend, rewards, campaigns, profiles and events of a range. Money is in the currency's minor units.",
  asks: ["analytics"],
  parameters: {
    program_id: Toolbox.programId,
    from: Toolbox.optionally(Timestamp, "Start of the range. Absent: 30 local days before its end."),
    until: Toolbox.optionally(Timestamp, "End of the range, which is excluded. Absent: now."),
    bucket: Toolbox.optionally(Bucket, "Length of the buckets. Absent: a day. Choose weeks or months for long ranges."),
    time_zone: Toolbox.optionally(Text, "IANA time zone of days, weeks and months. Absent: the programme's."),
    location_id: Toolbox.optionally(ForeignId, "Only orders, entries and events of this location.")
  }
})

interface Ranged {
  readonly program_id: string
  readonly from?: string
  readonly until?: string
  readonly bucket?: Bucket
  readonly time_zone?: string
  readonly location_id?: string
}

const figures = Toolbox.handler("program_figures", (asked: Ranged) =>
  Effect.map(Toolbox.get<Analytics>(`${platformPath}/analytics`, { ...asked }), (data) => {
    const { balances, members, orders } = data.loyalty
    const outstanding = balances.map((one) => `${one.outstanding} ${one.unit}`).join(" and ")
    return answer({
      summary: `Programme ${said(data.program_id)} has ${members.total} members, of whom ${members.active} ordered from ${data.range.from} until ${data.range.until}: ${orders.count} orders with an eligible spend of ${Words.money(orders.eligible_spend)}. ${outstanding} are outstanding now.`,
      explanation: [`The figures include every change up to ${data.as_of}.`],
      data
    })
  })
)

export const listAudiences = Toolbox.make("list_audiences", {
  title: "Audiences",
  description: "The segments of a programme with their rules and the number of members that match now, newest first.",
  asks: ["listSegments", "previewSegment"],
  parameters: {
    program_id: Toolbox.programId,
    segment_id: Toolbox.optionally(ForeignId, "Only this segment."),
    cursor
  }
})

interface Audiences {
  readonly program_id: string
  readonly segment_id?: string
  readonly cursor?: string
}

interface SegmentPage {
  readonly segments: ReadonlyArray<Segment>
  readonly next_cursor?: string
}

/** Without a sample: the size is asked for, not who they are. */
const sizeOf = ({ program_id, segment_id }: Segment) =>
  Toolbox.ask<Preview>({ method: "POST", path: previewPath, body: { program_id, segment_id, sample_size: 0 } })

const audiences = Toolbox.handler(
  "list_audiences",
  Effect.fnUntraced(function* (asked: Audiences) {
    const query = { ...asked, limit: String(Bounds.audiences) }
    const { next_cursor, segments } = yield* Toolbox.get<SegmentPage>(segmentsPath, query)
    const sized = yield* Effect.forEach(segments, (segment) =>
      Effect.map(sizeOf(segment), ({ estimated_size }) => ({ ...segment, size_now: estimated_size }))
    )
    return answer({
      summary: `${Words.count(sized.length, "segment")}.${more(next_cursor)}`,
      explanation: sized.map(
        ({ mode, segment_id, size_now }) => `${said(segment_id)} (${mode}): ${Words.count(size_now, "member")} now.`
      ),
      data: { segments: sized, next_cursor }
    })
  })
)

export const listAudit = Toolbox.make("list_audit", {
  title: "Audit",
  description:
    "What people, keys and the service have changed, newest first. With audit:own alone: the caller's own entries.",
  asks: ["audit"],
  parameters: {
    actor: Toolbox.optionally(Value, "Only actions of the key or person with this name."),
    action: Toolbox.optionally(Text, "Only this action, such as token.revoke."),
    subject: Toolbox.optionally(Value, "Only actions on the thing with this id."),
    from: Toolbox.optionally(Timestamp, "Only entries from this instant on."),
    until: Toolbox.optionally(Timestamp, "Only entries before this instant."),
    limit: Toolbox.optionally(
      Toolbox.upTo(Bounds.mostEntries),
      `Most entries, 1 to ${Bounds.mostEntries}. Absent: ${Bounds.entriesByDefault}.`
    ),
    cursor
  }
})

interface Audited {
  readonly actor?: string
  readonly action?: string
  readonly subject?: string
  readonly from?: string
  readonly until?: string
  readonly limit?: number
  readonly cursor?: string
}

const audit = Toolbox.handler("list_audit", ({ limit = Bounds.entriesByDefault, ...query }: Audited) =>
  Effect.map(Toolbox.get<typeof AuditList.Type>(auditPath, { ...query, limit: String(limit) }), (data) =>
    answer({
      summary: `${Words.count(data.entries.length, "entry", "entries")}.${more(data.next_cursor)}`,
      explanation: data.entries.map(
        ({ action, at, actor, audit_id, subject }) =>
          `${at}: ${said(action)} on ${said(subject.type)}, by ${actor.kind} (${audit_id}).`
      ),
      data
    })
  )
)

export const handlers = {
  list_programs: programs,
  program_figures: figures,
  list_audiences: audiences,
  list_audit: audit
}

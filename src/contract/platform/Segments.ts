/** Segments: members of a programme, listed or found by rules (platform.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { annotated, changeProblems, listProblems, nextCursor, page, readProblems, Refusals } from "../admin/Common.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { bodyProblems } from "../protocol/Problem.ts"
import { field, Identifier, Integer, optional, Text, Timestamp, whole } from "../Values.ts"
import { PlatformKey, platformPath } from "./Common.ts"
import { Rules } from "./Rules.ts"
import examples from "./segmentExamples.json" with { type: "json" }

export const segmentsPath = `${platformPath}/segments` as const
export const previewPath = `${segmentsPath}/preview` as const
export const deleteSegmentPath = `${segmentsPath}/delete` as const

/** Most members that a static segment lists. */
export const maxStaticMembers = 50_000
/** Members of a preview's sample where none are asked for, and the most. */
export const defaultSample = 25
export const maxSample = 100

const program_id = optional(
  Identifier,
  "The programme of the members; may be left out where the token reaches only one."
)

export const Segment = Schema.Struct({
  segment_id: field(Identifier, "The segment's id, unique in the service."),
  program_id: field(Identifier, "The programme of its members."),
  name: field(Schema.String, "Its name, for people."),
  mode: field(Schema.Literals(["static", "dynamic"]), "`static`: members are listed; `dynamic`: found by rules."),
  rules: optional(Rules, "The rules of a dynamic segment, as they were sent."),
  member_count: optional(Integer, "How many members a static segment lists."),
  created_at: field(Timestamp, "When it was made."),
  updated_at: field(Timestamp, "When it was changed last.")
}).annotate({ identifier: "Segment", description: "A part of a programme's members." })
export type Segment = typeof Segment.Type

export const SegmentList = Schema.Struct({
  segments: field(Schema.Array(Segment), "The page, newest first."),
  next_cursor: nextCursor
})

export const SegmentQuery = Schema.Struct({
  program_id: optional(Identifier, "The programme; may be left out where the token reaches only one."),
  segment_id: optional(Identifier, "Only this segment."),
  ...page
})
export type SegmentQuery = typeof SegmentQuery.Type

export const PutSegment = Schema.Struct({
  segment_id: optional(Identifier, "The segment to make or to replace; absent: a new one, whose id the service makes."),
  name: field(Text, "Its name, for people."),
  program_id,
  member_ids: optional(
    Schema.Array(Identifier).check(
      Schema.isMaxLength(maxStaticMembers, { message: `must have at most ${maxStaticMembers} items` })
    ),
    `The members of a static segment, at most ${maxStaticMembers}; one that comes twice counts once.`
  ),
  rules: optional(Rules, "The rules of a dynamic segment; either these or `member_ids`.")
})
export type PutSegment = typeof PutSegment.Type

export const SegmentAnswer = Schema.Struct({ segment: field(Segment, "The segment as it is now.") })

export const PreviewSegment = Schema.Struct({
  segment_id: optional(Identifier, "A segment; either this or `rules`."),
  rules: optional(Rules, "Rules of a segment that need not exist."),
  program_id,
  sample_size: optional(
    whole(0, maxSample, `must be a whole number from 0 to ${maxSample}`),
    `Most members to name; ${defaultSample} where absent.`
  )
})
export type PreviewSegment = typeof PreviewSegment.Type

export const Preview = Schema.Struct({
  segment_id: optional(Identifier, "The segment, where one was named."),
  estimated_size: field(Integer, "Members in it now."),
  sample_member_ids: field(Schema.Array(Identifier), "Some of them, in no order.")
})
export type Preview = typeof Preview.Type

export const DeleteSegment = Schema.Struct({ segment_id: field(Identifier, "The segment to delete.") })

export const DeletedSegment = Schema.Struct({ segment: field(Segment, "The segment as it was.") })

const listCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]
const putCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "conflict"]
const previewCodes: ReadonlyArray<ProblemCode> = [
  ...new Set([...bodyProblems, ...readProblems, "validation_failed" as const, "csrf_failed" as const]),
  "not_found"
]

export class Segments extends HttpApiGroup.make("platform_segments")
  .add(
    HttpApiEndpoint.get("listSegments", segmentsPath, {
      query: SegmentQuery,
      success: SegmentList,
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "listSegments",
        "List segments",
        "Newest first. Scope: `platform:read`.",
        listCodes,
        examples.listSegments,
        true
      )
    ),
    HttpApiEndpoint.put("putSegment", segmentsPath, {
      payload: PutSegment,
      success: SegmentAnswer,
      error: problems(putCodes)
    }).annotateMerge(
      annotated(
        "putSegment",
        "Make or replace a segment",
        "A `conflict` where the id is one of another programme, or another segment that names this one would have too " +
          "many conditions. Rules that name segments in a circle are refused. Scope: `platform:write`.",
        putCodes,
        examples.putSegment,
        false
      )
    ),
    HttpApiEndpoint.post("previewSegment", previewPath, {
      payload: PreviewSegment,
      success: Preview,
      error: problems(previewCodes)
    })
      .annotateMerge(
        annotated(
          "previewSegment",
          "Count a segment's members",
          "Of a segment, or of rules before one is made of them. Changes nothing. Scope: `platform:read`.",
          previewCodes,
          examples.previewSegment,
          true,
          false
        )
      )
      .annotate(AccessOf, { scope: "platform:read", isServedFrozen: true }),
    HttpApiEndpoint.post("deleteSegment", deleteSegmentPath, {
      payload: DeleteSegment,
      success: DeletedSegment,
      error: problems(putCodes)
    }).annotateMerge(
      annotated(
        "deleteSegment",
        "Delete a segment",
        "A `conflict` while a campaign uses it or the rules of another segment name it. Scope: `platform:write`.",
        putCodes,
        examples.deleteSegment
      )
    )
  )
  .middleware(PlatformKey)
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Segments", description: "Members of a programme, listed or found by rules." })
  ) {}

/** Segments: groups of a programme's members, by list or by rules (contract/engagement.md *Segments*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { annotated, changeProblems, frozenChangeProblems, listProblems, nextCursor, page } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { told } from "../Said.ts"
import { field, Identifier, Integer, optional, Text, Timestamp, whole } from "../Values.ts"
import { expectedVersion, platformPath, programId, version } from "./Platform.ts"
import { Rules } from "./Rules.ts"
import examples from "./segmentExamples.json" with { type: "json" }

export const segmentsPath = `${platformPath}/segments` as const
export const previewPath = `${segmentsPath}/preview` as const
export const archivePath = `${segmentsPath}/archive` as const
export const deleteSegmentPath = `${segmentsPath}/delete` as const

/** Most members that a static segment lists. */
export const maxStaticMembers = 50_000
/** Members in the sample of a preview: by default, and at most. */
export const defaultSample = 25
const maxSample = 100

export const Segment = Schema.Struct({
  segment_id: field(Identifier, "The segment's id, unique in the service."),
  program_id: field(Identifier, "The programme of its members."),
  name: field(Schema.String, "Its name, for people."),
  mode: field(
    Schema.Literals(["static", "dynamic"]),
    "`static`: it lists its members. `dynamic`: its members are those that match its rules."
  ),
  rules: optional(Rules, "The rules of a dynamic segment, in the spelling that was sent."),
  member_count: optional(Integer, "Number of members that a static segment lists."),
  version,
  created_at: field(Timestamp, "When it was created."),
  updated_at: field(Timestamp, "When it last changed."),
  archived_at: optional(Timestamp, "When it was archived; absent: it is not.")
}).annotate({ identifier: "Segment", description: "A group of a programme's members." })
export type Segment = typeof Segment.Type

const SegmentList = Schema.Struct({
  segments: field(Schema.Array(Segment), "A page of segments, newest first."),
  next_cursor: nextCursor
})

export const SegmentQuery = Schema.Struct({
  program_id: programId,
  segment_id: optional(Identifier, "Returns only this segment, or 404."),
  ...page
})
export type SegmentQuery = typeof SegmentQuery.Type

export const PutSegment = Schema.Struct({
  segment_id: optional(
    Identifier,
    "Id of the segment to create or replace. Absent: a new segment with an id from the service."
  ),
  name: field(Text, "Its name, for people."),
  program_id: programId,
  member_ids: optional(
    Schema.Array(Identifier).check(
      Schema.isMaxLength(maxStaticMembers, { message: told`must have at most ${maxStaticMembers} items` })
    ),
    `The members of a static segment, at most ${maxStaticMembers}. A repeated member counts once.`
  ),
  rules: optional(Rules, "The rules of a dynamic segment. Exactly one of `rules` and `member_ids` is required."),
  expected_version: expectedVersion
}).check(
  Schema.makeFilter(({ member_ids, rules }) =>
    (member_ids === undefined) !== (rules === undefined)
      ? []
      : [{ path: ["rules"], issue: "must be given, or `member_ids`, and not both" }]
  )
)
export type PutSegment = typeof PutSegment.Type

const SegmentAnswer = Schema.Struct({ segment: field(Segment, "The segment as it is now.") })

const SegmentPut = Schema.Struct({
  ...SegmentAnswer.fields,
  pending_for: optional(
    Schema.Array(Identifier),
    "Active and paused campaigns that go on with the segment as it was until somebody with `points:give` confirms. Absent: none."
  )
})

export const PreviewSegment = Schema.Struct({
  segment_id: optional(Identifier, "The segment to preview. Exactly one of `segment_id` and `rules` is required."),
  rules: optional(Rules, "Rules to preview, without a segment."),
  program_id: programId,
  sample_size: optional(
    whole(0, maxSample, told`must be a whole number from ${0} to ${maxSample}`),
    `Most members in the sample. Absent: ${defaultSample}.`
  )
})
export type PreviewSegment = typeof PreviewSegment.Type

export const Preview = Schema.Struct({
  segment_id: optional(Identifier, "The segment; absent for a preview of rules."),
  estimated_size: field(Integer, "Number of members that match now."),
  sample_member_ids: field(
    Schema.Array(Identifier),
    "Some of these members, in no particular order; none for a caller who may not see members."
  )
})
export type Preview = typeof Preview.Type

const ArchiveSegment = Schema.Struct({
  segment_id: field(Identifier, "The segment."),
  archived: field(Schema.Boolean, "True: archives it. False: restores it.")
})
export type ArchiveSegment = typeof ArchiveSegment.Type

const DeleteSegment = Schema.Struct({ segment_id: field(Identifier, "The segment to delete.") })

const DeletedSegment = Schema.Struct({ segment: field(Segment, "The deleted segment.") })

const listCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]
const putCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "conflict", "invalid_state"]
const deleteCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "conflict"]
const previewCodes: ReadonlyArray<ProblemCode> = [...frozenChangeProblems, "not_found"]

export class Segments extends HttpApiGroup.make("platform_segments")
  .add(
    HttpApiEndpoint.get("listSegments", segmentsPath, {
      query: SegmentQuery,
      success: SegmentList,
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "segment.list",
        "List segments",
        "A page of a programme's segments, newest first.",
        listCodes,
        examples.listSegments,
        true
      )
    ),
    HttpApiEndpoint.put("putSegment", segmentsPath, {
      payload: PutSegment,
      success: SegmentPut,
      error: problems(putCodes)
    }).annotateMerge(
      annotated(
        "segment.put",
        "Create or replace a segment",
        "Answers `conflict` if another version than `expected_version` is in force, if another programme has the id, or if a segment that refers to this one would have too many " +
          "conditions, and `invalid_state` if it is archived. Rules must not refer to segments in a circle.",
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
          "segment.preview",
          "Preview a segment",
          "Counts the members of a segment or of rules, and lists some. Changes nothing.",
          previewCodes,
          examples.previewSegment,
          true
        )
      )
      .annotate(AccessOf, { isServedFrozen: true, isRepeatable: true }),
    HttpApiEndpoint.post("archiveSegment", archivePath, {
      payload: ArchiveSegment,
      success: SegmentAnswer,
      error: problems(putCodes)
    })
      .annotateMerge(
        annotated(
          "segment.archive",
          "Archive or restore a segment",
          "An archived segment is kept for its history alone. Answers `conflict` while a campaign or the rules of another " +
            "segment use it that are not archived, and `invalid_state` for a restored one whose rules name an archived one.",
          putCodes,
          examples.archiveSegment,
          true
        )
      )
      .annotate(AccessOf, { isRepeatable: true }),
    HttpApiEndpoint.post("deleteSegment", deleteSegmentPath, {
      payload: DeleteSegment,
      success: DeletedSegment,
      error: problems(deleteCodes)
    }).annotateMerge(
      annotated(
        "segment.delete",
        "Delete a segment",
        "Answers `conflict` while a campaign or the rules of another segment use it.",
        deleteCodes,
        examples.deleteSegment
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Segments", description: "Groups of members, by list or by rules." })) {}

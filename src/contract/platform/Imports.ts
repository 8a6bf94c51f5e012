/** Imports of members, as JSON or CSV (platform.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { annotated, changeProblems, listProblems, nextCursor, page, Refusals } from "../admin/Common.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Identity } from "../protocol/Resources.ts"
import { AnyValue, field, Identifier, IdempotencyKey, NewIdentifier, optional, Timestamp, whole } from "../Values.ts"
import { PlatformKey, platformPath } from "./Common.ts"
import examples from "./importExamples.json" with { type: "json" }
import { profileFacts } from "./Members.ts"

export const importsPath = `${platformPath}/imports` as const
export const importMembersPath = `${importsPath}/members` as const
export const importErrorsPath = `${importsPath}/errors` as const

/** Most rows of an import. */
export const maxRows = 1_000

const Count = whole(0, maxRows, `must be a whole number from 0 to ${maxRows}`)

/** A row as it is sent: at least one of the ids, or an identity. */
export const ImportRow = Schema.Struct({
  member_id: optional(NewIdentifier, "The member's id; the member is found by it, where it is given."),
  ...profileFacts,
  identity: optional(Identity, "An identity of the member's, which is added where the member does not have it yet."),
  opening_balance: optional(
    whole(0, Number.MAX_SAFE_INTEGER, "must be a whole number from 0 to 2^53 − 1"),
    "What the member brings, in the primary account; credited once ever."
  )
}).annotate({ identifier: "ImportRow", description: "A member of an import." })
export type ImportRow = typeof ImportRow.Type

/** The columns of a CSV file. */
export const importColumns = [
  "member_id",
  "external_id",
  "display_name",
  "email",
  "phone",
  "birth_date",
  "marketing_consent",
  "consent_source",
  "attributes_json",
  "identity_type",
  "identity_value",
  "identity_issuer",
  "opening_balance"
] as const
export type ImportColumn = (typeof importColumns)[number]

const columnList = importColumns.map((name) => `\`${name}\``).join(", ")

export const ImportRequest = Schema.Struct({
  idempotency_key: optional(
    IdempotencyKey,
    "One key an import, in the programme; absent: that of the header `Idempotency-Key`. One of the two is needed."
  ),
  program_id: optional(Identifier, "The programme; may be left out where the token reaches only one."),
  // Each is checked on its own, so that a fault of one does not refuse the others.
  rows: optional(
    Schema.Array(AnyValue).check(
      Schema.isMinLength(1, { message: "must have at least 1 item" }),
      Schema.isMaxLength(maxRows, { message: `must have at most ${maxRows} items` })
    ),
    `At most ${maxRows} objects with the profile's fields, \`identity\` (type, value, issuer) and \`opening_balance\`.`
  ),
  csv: optional(
    Schema.String,
    `The same as CSV, in place of \`rows\`. The first line names the columns, some of ${columnList}.`
  )
}).annotate({ identifier: "ImportRequest", description: "Members to enrol or to change." })
export type ImportRequest = typeof ImportRequest.Type

const CsvText = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

export const RowError = Schema.Struct({
  row: field(
    whole(1, maxRows, `must be a whole number from 1 to ${maxRows}`),
    "The row, from 1; a header does not count."
  ),
  path: field(Schema.String, "What is wrong in it, as a JSON Pointer; of a CSV file its column. Empty: the whole row."),
  code: field(Schema.String, "A problem code, such as `validation_failed` or `conflict`."),
  detail: field(Schema.String, "What is wrong; it never quotes what the row says.")
}).annotate({ identifier: "RowError", description: "Why a row was not taken." })
export type RowError = typeof RowError.Type

export const Import = Schema.Struct({
  import_id: field(Identifier, "The import's id."),
  program_id: field(Identifier, "The programme."),
  status: field(
    Schema.Literals(["completed", "partial", "failed"]),
    "Whether all rows were taken, some, or none. `partial` without `completed_at`: it is under way, or was cut off; sent again with its key, it goes on."
  ),
  submitted: field(Count, "Rows that were sent."),
  created: field(Count, "Rows that enrolled a member."),
  updated: field(Count, "Rows whose member was there already, whether or not it was changed."),
  failed: field(Count, "Rows that were not taken."),
  errors: optional(Schema.Array(RowError), "Why rows were not taken, in their order; absent in lists."),
  created_at: field(Timestamp, "When it was begun."),
  completed_at: optional(Timestamp, "When its last row was done.")
}).annotate({ identifier: "Import", description: "An import of members." })
export type Import = typeof Import.Type

export const ImportDone = Schema.Struct({ import: field(Import, "What became of it.") })

export const ImportTarget = Schema.Struct({
  program_id: optional(Identifier, "The programme of a CSV body; may be left out where the token reaches only one.")
})

export const ImportQuery = Schema.Struct({
  program_id: optional(Identifier, "The programme; may be left out where the token reaches only one."),
  import_id: optional(Identifier, "This import alone: the answer is `import`, or 404."),
  ...page
})
export type ImportQuery = typeof ImportQuery.Type

export const ImportAnswer = Schema.Struct({
  import: optional(Import, "The import, where the query has `import_id`."),
  imports: optional(Schema.Array(Import), "The page, the newest first; absent with `import_id`."),
  next_cursor: nextCursor
})

export const ErrorQuery = Schema.Struct({ import_id: field(Identifier, "The import."), ...page })
export type ErrorQuery = typeof ErrorQuery.Type

export const ErrorList = Schema.Struct({
  errors: field(Schema.Array(RowError), "The page, in the order of the rows."),
  next_cursor: nextCursor
})

const importCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found"]
const listCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]

export class Imports extends HttpApiGroup.make("platform_imports")
  .add(
    HttpApiEndpoint.post("importMembers", importMembersPath, {
      query: ImportTarget,
      payload: [ImportRequest, CsvText],
      success: ImportDone.pipe(HttpApiSchema.status(201)),
      error: problems(importCodes)
    })
      .annotateMerge(
        annotated(
          "importMembers",
          "Import members",
          `Up to ${maxRows} rows, as JSON or as a body of \`text/csv\` with the header \`Idempotency-Key\`. A row is taken ` +
            "like `PUT /members`, and each succeeds or fails on its own; a bad header refuses the file. Columns of CSV: " +
            `${columnList}. An empty cell is absent; one \`'\` before \`=\`, \`+\`, \`-\`, \`@\`, tab or CR is taken away. ` +
            "The same key and rows again answer the first result, or go on where the first request was cut off. " +
            "Scope: `platform:write`.",
          importCodes,
          examples.importMembers
        )
      )
      .annotate(AccessOf, { hasOwnKeys: true }),
    HttpApiEndpoint.get("listImports", importsPath, {
      query: ImportQuery,
      success: ImportAnswer,
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "listImports",
        "Find imports",
        "The newest first. Scope: `platform:read`.",
        listCodes,
        examples.listImports,
        true
      )
    ),
    HttpApiEndpoint.get("listImportErrors", importErrorsPath, {
      query: ErrorQuery,
      success: [ErrorList, CsvText],
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "listImportErrors",
        "Why rows were not taken",
        "With `Accept: text/csv` all of them as CSV, whatever `limit` and `cursor` say. Scope: `platform:read`.",
        listCodes,
        examples.listImportErrors,
        true
      )
    )
  )
  .middleware(PlatformKey)
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Imports", description: "Members from a spreadsheet." })) {}

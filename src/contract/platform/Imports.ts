/** Imports of members, as JSON or CSV (contract/engagement.md *Imports*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { annotated, changeProblems, listProblems, nextCursor, page } from "../admin/Endpoint.ts"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Template } from "../protocol/Problem.ts"
import { maxBodyBytes } from "../protocol/Protocol.ts"
import { Identity } from "../protocol/Resources.ts"
import { Refusals } from "../Refused.ts"
import { grouped, told } from "../Said.ts"
import {
  AnyValue,
  field,
  IdempotencyKey,
  Identifier,
  maxAmount,
  NewIdentifier,
  optional,
  Text,
  Timestamp,
  whole
} from "../Values.ts"
import examples from "./importExamples.json" with { type: "json" }
import { profileFacts } from "./Members.ts"
import { platformPath, programId } from "./Platform.ts"

const importsPath = `${platformPath}/imports` as const
const importMembersPath = `${importsPath}/members` as const
const importErrorsPath = `${importsPath}/errors` as const

/** Most rows of an import. */
export const maxRows = 1_000

const Count = whole(0, maxRows, told`must be a whole number from ${0} to ${maxRows}`)

/** A row of an import. It has a member id, an external id or an identity. */
export const ImportRow = Schema.Struct({
  member_id: optional(NewIdentifier, "The member's id. If it is given, the member is found by it."),
  ...profileFacts,
  identity: optional(Identity, "An identity of the member. It is added unless the member has it."),
  opening_balance: optional(
    whole(0, maxAmount, told`must be a whole number from ${0} to ${grouped(10_000_000_000)}`),
    "Opening balance of the primary account, in points. Credited once for each member."
  )
}).annotate({ identifier: "ImportRow", description: "A row of an import: a member." })
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
    "A unique key for the import in the programme. Absent: the header `Idempotency-Key` is required."
  ),
  program_id: programId,
  // Rows are checked one by one by the handler, so that a fault of one does not refuse the others.
  rows: optional(
    Schema.Array(AnyValue.annotate({ identifier: "ImportItem" })).check(
      Schema.isMinLength(1, { message: "must have at least 1 item" }),
      Schema.isMaxLength(maxRows, { message: told`must have at most ${maxRows} items` })
    ),
    `At most ${maxRows} rows: objects with \`member_id\`, the fields of a profile, \`identity\` (type, value, issuer) and \`opening_balance\`.`
  ),
  csv: optional(
    Schema.String,
    `The rows as CSV, instead of \`rows\`. The first line has the names of columns: ${columnList}.`
  ),
  dry_run: optional(
    Schema.Boolean,
    "True: returns the result that the import would have now, and imports nothing. It needs no key."
  )
}).annotate({ identifier: "ImportRequest", description: "Members to enrol or change, as `rows` or `csv`." })
export type ImportRequest = typeof ImportRequest.Type

const CsvText = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))

export const RowError = Schema.Struct({
  row: field(
    // A file has at most as many lines as bytes.
    whole(1, maxBodyBytes, told`must be a whole number from ${1} to ${maxBodyBytes}`),
    "Number of the row: of CSV as spreadsheets count, with the header as row 1 and with blank rows; of JSON from 1."
  ),
  path: field(
    Schema.String,
    "JSON Pointer to the invalid value; for CSV, the name of the column after a slash. Empty: the whole row."
  ),
  code: field(Schema.String, "A problem code, such as `validation_failed` or `conflict`."),
  detail: field(Schema.String, "The error. It does not contain text of the row."),
  template: optional(Template, "`detail` apart from its values, if it has some.")
}).annotate({ identifier: "RowError", description: "An error of a row." })
export type RowError = typeof RowError.Type

/** Most rows that a group of errors, or of rows with one member, names. */
export const groupedRows = 10

export const RepeatedRows = Schema.Struct({
  path: field(Schema.String, "What repeats, as in `errors`: a name of the member, or its opening balance."),
  count: field(whole(2, maxRows, told`must be a whole number from ${2} to ${maxRows}`), "Rows that have it."),
  rows: field(Schema.Array(RowError.fields.row), `The numbers of the first ${groupedRows} of them.`)
}).annotate({ identifier: "RepeatedRows", description: "Rows of one import that name the same member." })
export type RepeatedRows = typeof RepeatedRows.Type

const repeatedText =
  "Rows without an error of their own that name the same member, in groups in the order of their first rows. They run in order: a later row changes what an earlier one wrote, and an opening balance is credited once."

export const Import = Schema.Struct({
  import_id: field(Identifier, "The import's id."),
  program_id: field(Identifier, "The programme."),
  status: field(
    Schema.Literals(["completed", "partial", "failed"]),
    "Whether all rows, some or none were imported. `partial` without `completed_at`: it is running, or was interrupted; the same request resumes it."
  ),
  file_name: optional(Text, "The name of its file, if the request has one."),
  submitted: field(Count, "Rows in the request, without blank rows of CSV."),
  created: field(Count, "Rows that enrolled a member, also those with an error that were imported in part."),
  updated: field(Count, "Rows whose member existed, even if nothing changed."),
  failed: field(Count, "Rows with an error. Those that enrolled a member count as `created` too."),
  errors: optional(
    Schema.Array(RowError),
    "Errors in the order of the rows; absent in lists, and with `rows_deleted`."
  ),
  repeated: optional(Schema.Array(RepeatedRows), `${repeatedText} Only in the answer to the import itself.`),
  created_by: field(Text, "The name of the key that began it."),
  created_at: field(Timestamp, "When it was created."),
  completed_at: optional(Timestamp, "When its last row had an outcome; absent until then."),
  taken_back_at: optional(Timestamp, "When it was taken back; absent: it was not."),
  taken_back_by: optional(Text, "The name of the caller that took it back."),
  rows_deleted: optional(
    Schema.Literal(true),
    "It is so old that its errors, and what became of each row, are deleted. One that was interrupted cannot be resumed any more."
  )
}).annotate({ identifier: "Import", description: "An import of members." })
export type Import = typeof Import.Type

export const ErrorGroup = Schema.Struct({
  path: field(Schema.String, "As in `errors`."),
  code: field(Schema.String, "As in `errors`."),
  detail: field(Schema.String, "As in `errors`."),
  template: optional(Template, "As in `errors`."),
  count: field(
    whole(1, maxBodyBytes, told`must be a whole number from ${1} to ${maxBodyBytes}`),
    "Errors of the group."
  ),
  rows: field(Schema.Array(RowError.fields.row), `The numbers of its first ${groupedRows} rows.`)
}).annotate({ identifier: "ErrorGroup", description: "Errors that differ in nothing but their rows." })
export type ErrorGroup = typeof ErrorGroup.Type

export const ImportWarning = Schema.Struct({
  path: field(Schema.String, "As in `errors`."),
  detail: field(Schema.String, "What may be a mistake. It does not contain text of the row."),
  template: optional(Template, "`detail` apart from its values, if it has some."),
  count: field(whole(1, maxRows, told`must be a whole number from ${1} to ${maxRows}`), "Rows that it is about."),
  rows: field(Schema.Array(RowError.fields.row), `The numbers of the first ${groupedRows} of them.`)
}).annotate({ identifier: "ImportWarning", description: "Rows that can be imported, and may be a mistake." })
export type ImportWarning = typeof ImportWarning.Type

export const ForeseenImport = Schema.Struct({
  program_id: Import.fields.program_id,
  status: field(
    Schema.Literals(["completed", "partial", "failed"]),
    "Whether all rows, some or none would be imported."
  ),
  file_name: Import.fields.file_name,
  submitted: Import.fields.submitted,
  created: field(Count, "Rows that would enrol a member."),
  updated: field(Count, "Rows whose member exists by then."),
  failed: field(Count, "Rows that would have an error."),
  opening_total: field(
    whole(0, maxRows * maxAmount, "must be a whole number"),
    "Points that opening balances would credit: without failed rows, and without members that have theirs already."
  ),
  errors: field(Schema.Array(RowError), "Errors in the order of the rows."),
  error_groups: field(
    Schema.Array(ErrorGroup),
    "The same errors, grouped and counted, in the order of their first rows."
  ),
  repeated: field(Schema.Array(RepeatedRows), repeatedText),
  warnings: field(
    Schema.Array(ImportWarning),
    "Members of the import with one e-mail address, a group each; rows whose address another member has already; members that it would enrol without a name; rows with an opening balance that their member has got before, also one that was taken back; and what campaigns may give because of the import, where that counts for the caller."
  )
}).annotate({ identifier: "ForeseenImport", description: "The result that an import would have. It has no id." })
export type ForeseenImport = typeof ForeseenImport.Type

const ImportForeseen = Schema.Struct({
  dry_run: field(Schema.Literal(true), "Nothing was imported."),
  import: field(ForeseenImport, "The result that the import would have.")
})

const ImportDone = Schema.Struct({ import: field(Import, "The import with its errors.") })

const ImportTarget = Schema.Struct({
  program_id: programId,
  file_name: optional(Text, "The name of the file that the rows are from, for people who look for it later."),
  dry_run: optional(Schema.Literals(["true", "false"]), "As in a body of JSON.")
})
export type ImportTarget = typeof ImportTarget.Type

export const ImportQuery = Schema.Struct({
  program_id: programId,
  import_id: optional(Identifier, "Returns only this import, as `import`, or 404."),
  ...page
})
export type ImportQuery = typeof ImportQuery.Type

const ImportAnswer = Schema.Struct({
  import: optional(Import, "The import; only if the query has `import_id`."),
  imports: optional(Schema.Array(Import), "A page of imports, newest first; absent if the query has `import_id`."),
  next_cursor: nextCursor
})

export const ErrorQuery = Schema.Struct({ import_id: field(Identifier, "The import."), ...page })
export type ErrorQuery = typeof ErrorQuery.Type

const ErrorList = Schema.Struct({
  errors: field(Schema.Array(RowError), "A page of errors, in the order of the rows."),
  next_cursor: nextCursor
})

const importCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "limit_exceeded"]
const listCodes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]

export class Imports extends HttpApiGroup.make("platform_imports")
  .add(
    HttpApiEndpoint.post("importMembers", importMembersPath, {
      query: ImportTarget,
      payload: [ImportRequest, CsvText],
      success: [ImportDone.pipe(HttpApiSchema.status(201)), ImportForeseen],
      error: problems(importCodes)
    })
      .annotateMerge(
        annotated(
          "import.create",
          "Import members",
          `Up to ${maxRows} rows, as JSON, or as a body of \`text/csv\` with the header \`Idempotency-Key\`. Each row is handled like ` +
            "`PUT /members` and succeeds or fails independently. An invalid header of CSV refuses the file. Columns: " +
            `${columnList}. An empty cell changes nothing; a blank row is passed over. An apostrophe before \`=\`, \`+\`, \`-\`, \`@\`, tab or CR is removed. ` +
            "The same rows with the same key return the first result, or resume an interrupted import. " +
            "With `dry_run` the answer is 200 with the result that the import would have now: nothing is stored, and it needs no key. ",
          importCodes,
          // The console's build leaves the examples out.
          {
            ...examples.importMembers,
            responses: { 200: (examples as Partial<typeof examples>).foreseeMembers?.response }
          }
        )
      )
      .annotate(AccessOf, { hasOwnKeys: true }),
    HttpApiEndpoint.get("listImports", importsPath, {
      query: ImportQuery,
      success: ImportAnswer,
      error: problems(listCodes)
    }).annotateMerge(
      annotated(
        "import.list",
        "Find imports",
        "A page of a programme's imports, or one import with its errors. All filters must match.",
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
        "import_error.list",
        "List the errors of an import",
        "With `Accept: text/csv` the answer is CSV with all errors; `limit` and `cursor` are ignored.",
        listCodes,
        examples.listImportErrors,
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(OpenApi.annotations({ title: "Imports", description: "Imports of members from JSON or CSV." })) {}

/**
 * The programmes and their definitions in force, which every page of the console shows
 * (contract/operators.md *Routes*).
 */
import { Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import type { Examples } from "../Description.ts"
import { problems } from "../Description.ts"
import { ProgramFile } from "../ProgramFile.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { field, Identifier, optional, Timestamp, whole } from "../Values.ts"
import { adminPath, annotated, listProblems, nextCursor, page, readProblems } from "./Endpoint.ts"
import examples from "./programExamples.json" with { type: "json" }

export const programsPath = `${adminPath}/programs` as const
export const programPath = `${programsPath}/:program_id` as const

const demo = "demo-foodservice"
export const params = Schema.Struct({
  program_id: field(Identifier.annotate({ examples: [demo] }), "The programme's id.")
})

/** Versions are counted from 1 to the largest number that the table holds. */
export const maxVersion = 2_147_483_647
export const Version = whole(1, maxVersion, "must be a whole number from 1")

export const ProgramStatus = Schema.Literals(["live", "retired"])

export const ProgramListed = Schema.Struct({
  program_id: field(Identifier, "The programme's id."),
  name: field(Schema.String, "The name that guests see."),
  version: field(Version, "The version in force."),
  status: field(ProgramStatus, "`retired`: only captures, reversals, refunds, expirations and reads are possible."),
  members: optional(
    Schema.Int,
    "Number of its members, including closed ones, as of about a second ago. Absent: the caller is limited to restaurants."
  )
}).annotate({ identifier: "ProgramListed" })

export const ProgramList = Schema.Struct({
  programs: field(Schema.Array(ProgramListed), "The page, sorted by id."),
  next_cursor: nextCursor
})

export const published = {
  version: field(Version, "Number of the definition, from 1."),
  published_at: field(Timestamp, "When it was published."),
  published_by: field(Schema.String, "Who published it; `system` if a start published it from a file.")
}

export const ProgramShown = Schema.Struct({
  program: field(ProgramFile, "The definition in force."),
  ...published
})

export const described = (
  identifier: keyof typeof examples,
  summary: string,
  description: string,
  codes: ReadonlyArray<ProblemCode>,
  isRead = false
) => annotated(identifier, summary, description, codes, examples[identifier] as Examples, isRead)

export const showCodes: ReadonlyArray<ProblemCode> = [...readProblems, "not_found"]
const listCodes: ReadonlyArray<ProblemCode> = [...listProblems]

export const listPrograms = HttpApiEndpoint.get("listPrograms", programsPath, {
  query: Schema.Struct(page),
  success: ProgramList,
  error: problems(listCodes)
}).annotateMerge(
  described(
    "program.list",
    "List programmes",
    "The programmes that the caller may see, with their numbers of members.",
    listCodes,
    true
  )
)

export const showProgram = HttpApiEndpoint.get("showProgram", programPath, {
  params,
  success: ProgramShown,
  error: problems(showCodes)
}).annotateMerge(described("program.show", "Show a programme", "The definition in force.", showCodes, true))

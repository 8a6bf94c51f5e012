/** Parts of every endpoint of `/my/api/v1`, whose caller is one guest: paths, problems, description (contract/guests.md *Routes*). */
import { Schema } from "effect"
import { annotated } from "../admin/Endpoint.ts"
import type { Examples } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { bodyProblems, storageProblems } from "../protocol/Problem.ts"
import { field, Identifier } from "../Values.ts"

/** The beginning of all paths, before the programme's. */
export const guestsPath = "/my/api/v1"

/** The base path of the routes of one programme's guests. */
export const guestPath = `${guestsPath}/:program_id` as const

/** The parameters of every path. */
export const GuestParams = Schema.Struct({ program_id: field(Identifier, "The programme of the guest.") })

/** The programme of the examples. */
const params = { program_id: "demo-foodservice" }

/** Problem codes of routes that need no session. */
export const openProblems: ReadonlyArray<ProblemCode> = [
  ...bodyProblems,
  ...storageProblems,
  "not_found",
  "csrf_failed",
  "rate_limited",
  "internal_error"
]
/** Problem codes of a guest's routes that read. */
export const guestReadProblems: ReadonlyArray<ProblemCode> = [
  ...storageProblems,
  "unauthorized",
  "not_found",
  "rate_limited",
  "validation_failed",
  "internal_error"
]
/** Problem codes of a guest's routes that change something and are served while writes are frozen. */
export const guestChangeProblems: ReadonlyArray<ProblemCode> = [...bodyProblems, ...guestReadProblems, "csrf_failed"]

/** The OpenAPI description of an endpoint for guests. */
export const ofGuest = (
  identifier: string,
  summary: string,
  description: string,
  codes: ReadonlyArray<ProblemCode>,
  examples: Omit<Examples, "params"> & { readonly params?: Readonly<Record<string, string>> },
  safeToRetry = false,
  takesKeyHeader = true
) =>
  annotated(
    identifier,
    summary,
    description,
    codes,
    { ...examples, params: { ...params, ...examples.params } },
    safeToRetry,
    takesKeyHeader
  )

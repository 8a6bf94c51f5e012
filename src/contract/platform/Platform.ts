/**
 * Shared parts of the resources of `/platform/v1`: path, version, the parameter `program_id`
 * (contract/engagement.md *Shared rules*).
 */
import { told } from "../Said.ts"
import { field, Identifier, optional, whole } from "../Values.ts"

/** Base path of the routes for marketing systems. */
export const platformPath = "/platform/v1"
export const platformName = "Lotbook customer engagement"
export const platformVersion = "0.3.0-beta"

const Version = whole(1, Number.MAX_SAFE_INTEGER, told`must be a whole number of at least ${1}`)

/** The property `version` of what a caller can replace. */
export const version = field(Version, "Its version, from 1. Each change raises it.")

/** The property `expected_version` of a body that replaces something. */
export const expectedVersion = optional(
  Version,
  "The version that the change was made from. If another one is in force, the answer is `conflict`. Absent: replaces any version."
)

/** The property `program_id`, which most requests have. */
export const programId = optional(
  Identifier,
  "The programme. May be omitted if the caller can access exactly one programme."
)

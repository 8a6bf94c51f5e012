/** Limits to restaurants as requests set them. Apart from the others: the console's first page sets none. */
import { Schema } from "effect"
import { limitWords as words } from "./RestaurantLimits.ts"
import { told } from "./Said.ts"
import { ForeignId, optional } from "./Values.ts"

/** Most ids that a limit names. */
const maxIds = 1_000

const ids = Schema.Array(ForeignId).check(
  Schema.isMinLength(1, { message: "must have at least 1 item" }),
  Schema.isMaxLength(maxIds, { message: told`must have at most ${1000} items` }),
  Schema.isUnique({ message: "must not repeat an item" })
)
/** As requests set them. A restaurant must be within each limit that there is; one that is within none is out of reach. */
export const askedLimits = {
  location_ids: optional(ids, words.location_ids),
  franchisee_ids: optional(ids, words.franchisee_ids),
  brand_ids: optional(ids, words.brand_ids)
}

/** As changes set them: what is absent stays as it is. */
export const changedLimits = {
  location_ids: optional(Schema.NullOr(ids), `${words.location_ids.replace("absent", "null")} Absent: unchanged.`),
  franchisee_ids: optional(Schema.NullOr(ids), `${words.franchisee_ids.replace("absent", "null")} Absent: unchanged.`),
  brand_ids: optional(Schema.NullOr(ids), `${words.brand_ids.replace("absent", "null")} Absent: unchanged.`)
}

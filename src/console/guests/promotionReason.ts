/** The service's reason of an entry by promotions, with their names. */
import type { ProgramFile } from "../../contract/ProgramFile.ts"

type Named = NonNullable<ProgramFile["promotions"]>[number]

const begin = "promotions: "

/** A reason with the names of promotions in the place of ids; of one that the programme has no more, the id. */
export const promotionReason = (
  reason: string,
  promotions: ReadonlyArray<Pick<Named, "promotion_id" | "name">>
): string => {
  if (!reason.startsWith(begin)) return reason
  const [, ids = "", more = ""] = /^(.*?)( and \d+ more)?$/s.exec(reason.slice(begin.length)) ?? []
  const names = ids.split(", ").map((id) => promotions.find(({ promotion_id }) => promotion_id === id)?.name ?? id)
  return names.join(", ") + more.replace(" and ", " +").replace(" more", "")
}

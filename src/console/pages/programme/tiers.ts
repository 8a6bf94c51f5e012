import type { Draft } from "../../app/draft.ts"

export interface NamedTier {
  readonly id: string
  readonly name: string
}

/** The tiers of an edited programme that have an id, with their names. */
export const tiersOf = (draft: Draft): ReadonlyArray<NamedTier> => {
  const drafted = draft["tiers"]
  const tiers: ReadonlyArray<unknown> = Array.isArray(drafted) ? drafted : []
  return tiers.flatMap((tier) => {
    const { name, tier_id: id } = (tier ?? {}) as { readonly tier_id?: unknown; readonly name?: unknown }
    if (typeof id !== "string" || id === "") return []
    return [{ id, name: typeof name === "string" && name !== "" ? name : id }]
  })
}

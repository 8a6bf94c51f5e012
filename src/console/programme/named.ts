import type { Draft } from "./draft.ts"

export interface NamedItem {
  readonly id: string
  readonly name: string
}

/** The items of one of a draft's lists that have an id, with their names. `idName`: the property that has it. */
export const namedIn = (draft: Draft, list: string, idName: string): ReadonlyArray<NamedItem> => {
  const drafted = draft[list]
  const items: ReadonlyArray<unknown> = Array.isArray(drafted) ? drafted : []
  return items.flatMap((item) => {
    const { [idName]: id, name } = (item ?? {}) as Readonly<Record<string, unknown>>
    if (typeof id !== "string" || id === "") return []
    return [{ id, name: typeof name === "string" && name !== "" ? name : id }]
  })
}

/** An item's name, or its id where the draft has no such item. */
export const nameIn = (items: ReadonlyArray<NamedItem>, id: string): string =>
  items.find((item) => item.id === id)?.name ?? id

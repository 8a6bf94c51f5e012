/** How a definition of a programme differs from another one, in words. */
import { useSoldName } from "../shared/choosers/soldNames.ts"
import "../shared/words/labels.ts"
import { Lines } from "../shared/ChangeList.tsx"
import { useLocationName } from "../shared/locations.ts"
import type { Difference } from "../shared/words/values.ts"
import { itemDifferences } from "../shared/words/values.ts"
import { itemName, labelOf, pathInWords } from "../shared/words/words.ts"
import type { Draft } from "./draft.ts"
import { itemInWords } from "./itemWords.ts"
import type { ProgramChange } from "./moneyChanges.ts"
import { moneyChange } from "./moneyChanges.ts"
import { namedIn } from "./named.ts"
import { programmeStrings as text } from "./programmeStrings.ts"

/** The words for a change's place. An item that is added or removed as a whole has its own name. */
const placeInWords = ({ from, path, to }: ProgramChange, root: Draft): string => {
  const at = path.lastIndexOf("/")
  const name = /^\d+$/.test(path.slice(at + 1)) ? (itemName(to) ?? itemName(from)) : undefined
  return name === undefined ? pathInWords(path, root) : `${pathInWords(path.slice(0, at), root)} › ${name}`
}

/** `before` and `after`: the definitions that are compared. What is removed takes its names from the earlier one. */
export const ProgramChanges = (props: {
  readonly changes: ReadonlyArray<ProgramChange>
  readonly before: Draft
  readonly after: Draft
}) => {
  const names = { placeOf: useLocationName(), soldOf: useSoldName() }
  const toldOf = (list: string, { after, before }: Pick<Difference, "before" | "after">): string | undefined => {
    if (before !== undefined && after !== undefined) return undefined
    const isNew = before === undefined
    const words = itemInWords(list, isNew ? after : before, isNew ? props.after : props.before, names)
    return words === undefined ? undefined : isNew ? text.added(words) : text.gone(words)
  }
  const namesOf = (list: "rewards" | "tiers", idName: string) =>
    new Map([props.before, props.after].flatMap((one) => namedIn(one, list, idName)).map(({ id, name }) => [id, name]))
  const known = { reward_id: namesOf("rewards", "reward_id"), tier_id: namesOf("tiers", "tier_id") }
  return (
    <Lines
      nameOf={(field, id) => known[field].get(id)}
      lines={props.changes.flatMap((told) => {
        const change = moneyChange(told, told.to === undefined ? props.before : props.after)
        const { from, path, to } = change
        const what = placeInWords(change, to === undefined ? props.before : props.after)
        const name = path.slice(path.lastIndexOf("/") + 1)
        const [, list = "", , ...inner] = path.split("/")
        const items = itemDifferences(from, to)
        if (items === undefined) {
          const values = { before: from, after: to }
          return [{ what, name, ...values, told: inner.length === 0 ? toldOf(list, values) : undefined }]
        }
        return items.map(({ path: [item = "", ...within], ...values }) => ({
          what: [what, item, ...within.map(labelOf)].join(" › "),
          name: within.at(-1) ?? name,
          ...values,
          told: within.length === 0 && path === `/${list}` ? toldOf(list, values) : undefined
        }))
      })}
    />
  )
}

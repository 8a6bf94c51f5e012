/** A list of changes in words. */
import "../app/labels.ts"
import { List } from "@mantine/core"
import { useZone } from "../app/program.tsx"
import { strings } from "../app/strings.ts"
import { differences, itemDifferences, valueText } from "../app/values.ts"
import { labelOf, pathInWords } from "../app/words.ts"

const text = strings.values

interface Line {
  readonly what: string
  /** The value's own name. */
  readonly name: string
  readonly before: unknown
  readonly after: unknown
}

const Lines = ({ lines }: { readonly lines: ReadonlyArray<Line> }) => {
  const zone = useZone()
  return (
    <List size="sm">
      {lines.map(({ after, before, name, what }) => {
        const [was, is] = [before, after].map((value) => valueText(value, zone, name))
        return (
          <List.Item key={what} style={{ overflowWrap: "anywhere" }}>
            {what === "" ? undefined : <b>{what}: </b>}
            {before === undefined
              ? is
              : after === undefined
                ? text.removed(was ?? "")
                : text.changed(was ?? "", is ?? "")}
          </List.Item>
        )
      })}
    </List>
  )
}

export interface ProgramChange {
  readonly path: string
  readonly from?: unknown
  readonly to?: unknown
}

/** Changes of a programme. `root`: the programme, for the names of its items. */
export const ProgramChanges = (props: { readonly changes: ReadonlyArray<ProgramChange>; readonly root: unknown }) => (
  <Lines
    lines={props.changes.flatMap(({ from, path, to }) => {
      const what = pathInWords(path, props.root)
      const name = path.slice(path.lastIndexOf("/") + 1)
      const items = itemDifferences(from, to)
      if (items === undefined) return [{ what, name, before: from, after: to }]
      return items.map(({ path: [item = "", ...within], ...values }) => ({
        what: [what, item, ...within.map(labelOf)].join(" › "),
        name: within.at(-1) ?? name,
        ...values
      }))
    })}
  />
)

/** How two values differ. */
export const Differences = (props: { readonly before: unknown; readonly after: unknown }) => (
  <Lines
    lines={differences(props.before, props.after).map(({ path, ...values }) => ({
      what: path.map((part) => labelOf(part)).join(" › "),
      name: path.at(-1) ?? "",
      ...values
    }))}
  />
)

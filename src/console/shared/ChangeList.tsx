/** A list of changes in words. */
import "./words/labels.ts"
import { List } from "@mantine/core"
import { useZone } from "./program.tsx"
import { strings } from "./strings.ts"
import type { NameOf } from "./words/values.ts"
import { differences, valueText } from "./words/values.ts"
import { labelOf } from "./words/words.ts"

const text = strings.values

interface Line {
  readonly what: string
  /** The value's own name. */
  readonly name: string
  readonly before: unknown
  readonly after: unknown
  /** The change in words; undefined: as its values. */
  readonly told?: string | undefined
}

interface LinesProps {
  readonly lines: ReadonlyArray<Line>
  /** Absent: ids are told as they are. */
  readonly nameOf?: NameOf
}

export const Lines = ({ lines, nameOf }: LinesProps) => {
  const zone = useZone()
  return (
    <List size="sm">
      {lines.map(({ after, before, name, told, what }) => {
        const [was, is] = [before, after].map((value) => valueText(value, zone, name, nameOf))
        return (
          <List.Item key={what} style={{ overflowWrap: "anywhere" }}>
            {what === "" ? undefined : <b>{what}: </b>}
            {told ??
              (before === undefined
                ? is
                : after === undefined
                  ? text.removed(was ?? "")
                  : text.changed(was ?? "", is ?? ""))}
          </List.Item>
        )
      })}
    </List>
  )
}

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

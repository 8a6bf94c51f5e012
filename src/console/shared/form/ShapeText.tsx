/** A value that the contract describes, as text for those who may not change it. */
import "../words/labels.ts"
import { Stack, Text } from "@mantine/core"
import { Facts } from "../Facts.tsx"
import { number } from "../format.ts"
import { Note } from "../Note.tsx"
import { strings } from "../strings.ts"
import { valueText } from "../words/values.ts"
import { labelOf } from "../words/words.ts"
import { recordOf } from "./draft.ts"
import { durationText } from "./duration.ts"
import type { Field, Shape } from "./shape.ts"

interface TextsProps {
  readonly fields: ReadonlyArray<Field>
  readonly value: unknown
  /** Zone of the times. */
  readonly zone: string
}

/** True for a value that is a line of text: all but records and lists of them. */
const isLine = (shape: Shape): boolean =>
  shape.kind === "list" ? isLine(shape.of) : shape.kind !== "record" && shape.kind !== "choice"

const lineOf = (name: string, shape: Shape, value: unknown, zone: string): string => {
  if (typeof value === "number" && name.endsWith("_seconds")) return durationText(value) ?? `${number(value)} s`
  if (shape.kind === "text" && shape.options !== undefined && typeof value === "string") return labelOf(value)
  if (shape.kind === "list" && Array.isArray(value) && value.length > 0)
    return value.map((one) => lineOf(name, shape.of, one, zone)).join(", ")
  return valueText(value, zone, name)
}

/** The name of a value. The unit is beside the value, not in it. */
const nameOf = (name: string): string => labelOf(name.replace(/_(?:bps|seconds)$/, ""))

const Part = ({
  name,
  shape,
  value,
  zone
}: { readonly name: string; readonly shape: Shape } & Omit<TextsProps, "fields">) => {
  if (shape.kind === "list")
    return (Array.isArray(value) ? value : []).map((item: unknown, at) => {
      const { name: own } = recordOf(item)
      return (
        <Part
          // biome-ignore lint/suspicious/noArrayIndexKey: nothing here changes its place
          key={at}
          name={typeof own === "string" ? own : `${name} ${at + 1}`}
          shape={shape.of}
          value={item}
          zone={zone}
        />
      )
    })
  const { type } = recordOf(value)
  const chosen = shape.kind === "choice" ? shape.of.find((one) => one.type === type)?.shape : shape
  return (
    <Stack gap={4} className="item" role="group" aria-label={name}>
      <Text fw={600}>
        <bdi>{name}</bdi>
      </Text>
      {chosen?.kind === "record" ? <ShapeText fields={chosen.fields} value={value} zone={zone} /> : undefined}
    </Stack>
  )
}

/** The properties of a record that are there: single values first, then what is nested. */
export const ShapeText = ({ fields, value, zone }: TextsProps) => {
  const record = recordOf(value)
  const present = fields.filter(({ name }) => record[name] !== undefined && record[name] !== null)
  const lines = present.filter(({ shape }) => isLine(shape))
  if (present.length === 0) return <Note>{strings.form.nothingSet}</Note>
  return (
    <Stack gap="md">
      {lines.length === 0 ? undefined : (
        <Facts facts={lines.map(({ name, shape }) => [nameOf(name), lineOf(name, shape, record[name], zone)])} />
      )}
      {present
        .filter(({ shape }) => !isLine(shape))
        .map(({ name, shape }) => (
          <Part key={name} name={labelOf(name)} shape={shape} value={record[name]} zone={zone} />
        ))}
    </Stack>
  )
}

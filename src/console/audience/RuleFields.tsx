/** Fields of a segment's conditions, with their faults. */
import { Chip, NativeSelect, Group as Row, TagsInput, Text, TextInput } from "@mantine/core"
import { createContext, useContext } from "react"
import { NumberField } from "../shared/form/NumberField.tsx"
import { digitsOf } from "../shared/format.ts"
import { useLocationName, useOpenLocations } from "../shared/locations.ts"
import type { Offer, Recent } from "./audience.ts"
import { minorUnitsOf } from "./minorUnits.ts"
import type { ContentOf, Typed } from "./segmentRules.ts"
import { scalarTypes } from "./segmentRules.ts"
import { segmentStrings } from "./segmentStrings.ts"
import type { Fault } from "./segmentWire.ts"

const text = segmentStrings.rules

export interface BuilderContext {
  /** Faults of each item. Paths are relative to the item. */
  readonly faults: ReadonlyMap<string, ReadonlyArray<Fault>>
  /** The programme's choices, if the session may read them. */
  readonly offer: Offer | undefined
  /** Segments that a condition may name. */
  readonly segments: ReadonlyArray<{ readonly value: string; readonly label: string }>
  readonly recent: Recent
  /** True if each condition and inner group shows how many members it matches. */
  readonly isCounted: boolean
  readonly isReadOnly: boolean
}

export const Context = createContext<BuilderContext>({
  faults: new Map(),
  offer: undefined,
  segments: [],
  recent: { eventTypes: [], tiers: [], rewards: [], currency: undefined, isLoading: false },
  isCounted: false,
  isReadOnly: false
})

interface FieldProps<A> {
  readonly label: string
  /** JSON Pointer within the condition. */
  readonly at: string
  readonly value: A
  readonly onChange: (value: A) => void
}

/** The condition of the fields, and the id of the element with its faults. */
export const ConditionContext = createContext<{ readonly faults: ReadonlyArray<Fault>; readonly describedBy: string }>({
  faults: [],
  describedBy: ""
})

/** Attributes of every field: its name, whether it can be edited, and whether it has a fault. */
export const useCommon = (label: string, at: string) => {
  const { isReadOnly } = useContext(Context)
  const { describedBy, faults } = useContext(ConditionContext)
  const isWrong = faults.some(({ path }) => path === at || path.startsWith(`${at}/`))
  return {
    size: "xs",
    "aria-label": label,
    disabled: isReadOnly,
    ...(isWrong ? { error: true, "aria-invalid": true, "aria-describedby": describedBy } : {})
  } as const
}

export const Words = ({ children }: { readonly children: string }) => <Text size="sm">{children}</Text>

export const Count = ({
  at,
  label,
  onChange,
  placeholder,
  value,
  width = 90
}: FieldProps<number | undefined> & { readonly placeholder?: string; readonly width?: number }) => (
  <NumberField
    {...useCommon(label, at)}
    w={width}
    placeholder={placeholder ?? ""}
    value={value ?? ""}
    onChange={(next) => onChange(next === "" ? undefined : next)}
  />
)

/** An amount of minor units, in the programme's currency if known. */
export const Amount = ({ at, label, onChange, value }: FieldProps<number | undefined>) => {
  const common = useCommon(label, at)
  const { offer, recent } = useContext(Context)
  const currency = offer?.currency ?? recent.currency
  const digits = currency === undefined ? 0 : digitsOf(currency)
  return (
    <NumberField
      {...common}
      w={currency === undefined ? 290 : 120}
      decimals={digits}
      isMoney
      placeholder={`${text.optional} (${currency ?? text.minor})`}
      unit={currency}
      value={value === undefined ? "" : value / 10 ** digits}
      onChange={(next) => onChange(minorUnitsOf(next, digits))}
    />
  )
}

export const Phrase = ({
  at,
  label,
  onChange,
  placeholder,
  value,
  width = 160
}: FieldProps<string> & { readonly placeholder?: string; readonly width?: number }) => (
  <TextInput
    {...useCommon(label, at)}
    w={width}
    placeholder={placeholder ?? ""}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
  />
)

/** How often something happened: at least once. */
export const Times = (props: Omit<FieldProps<number | undefined>, "label">) => (
  <Count label={text.labels.count} width={70} placeholder="1" {...props} />
)

/** A text that may be left out. */
export const Optional = (props: FieldProps<string>) => <Phrase placeholder={text.optional} width={130} {...props} />

/** A restaurant by name, or any. Without a list of them: its id. */
export const Place = (props: FieldProps<string>) => {
  const { at, label, onChange, value } = props
  const known = useOpenLocations()
  const nameOf = useLocationName()
  const common = useCommon(label, at)
  if (known.length === 0) return <Optional {...props} />
  const places = known.map(({ location_id, name = location_id }) => ({ value: location_id, label: name }))
  const isListed = value === "" || places.some((one) => one.value === value)
  return (
    <NativeSelect
      {...common}
      data={[{ value: "", label: text.anyLocation }, ...places, ...(isListed ? [] : [{ value, label: nameOf(value) }])]}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

export const Pick = <A extends string>({
  at,
  data,
  label,
  onChange,
  value
}: FieldProps<A> & { readonly data: ReadonlyArray<{ readonly value: A; readonly label: string }> }) => (
  <NativeSelect
    {...useCommon(label, at)}
    data={[...data]}
    value={value}
    onChange={({ currentTarget }) => {
      const next = data.find((one) => one.value === currentTarget.value)
      if (next !== undefined) onChange(next.value)
    }}
  />
)

/** Selects several of a few choices. */
export const Some = ({
  data,
  label,
  onChange,
  value
}: Omit<FieldProps<ReadonlyArray<string>>, "at"> & {
  readonly data: ReadonlyArray<{ readonly value: string; readonly label: string }>
}) => {
  const { isReadOnly } = useContext(Context)
  const known = new Set(data.map((one) => one.value))
  const all = [...data, ...value.filter((one) => !known.has(one)).map((one) => ({ value: one, label: one }))]
  return (
    <Chip.Group multiple value={[...value]} onChange={onChange}>
      <Row gap={6} role="group" aria-label={label}>
        {all.map((one) => (
          <Chip key={one.value} value={one.value} size="xs" variant="outline" disabled={isReadOnly}>
            {one.label}
          </Chip>
        ))}
      </Row>
    </Chip.Group>
  )
}

export const Tags = ({
  at,
  label,
  onChange,
  placeholder,
  value
}: FieldProps<ReadonlyArray<string>> & { readonly placeholder?: string }) => (
  <TagsInput
    {...useCommon(label, at)}
    placeholder={value.length === 0 ? (placeholder ?? "") : ""}
    w={220}
    acceptValueOnBlur
    splitChars={["\n"]}
    value={[...value]}
    onChange={onChange}
  />
)

export const labelled = <A extends string>(labels: Readonly<Record<A, string>>) =>
  (Object.keys(labels) as Array<A>).map((value) => ({ value, label: labels[value] }))

const flags = [
  { value: "true", label: text.yes },
  { value: "false", label: text.no }
]

/** Fields for the type of a value and for the value. `isMany`: a list of values; one of them must match. */
export const Value = ({
  at,
  isMany,
  onChange,
  value: { type, values }
}: Omit<FieldProps<Typed>, "label"> & { readonly isMany: boolean }) => {
  const [only = ""] = values
  return (
    <>
      <Pick
        label={text.labels.type}
        at=""
        data={scalarTypes.map((value) => ({ value, label: text.types[value] }))}
        value={type}
        onChange={(next) => onChange({ type: next, values: next === "flag" ? ["true"] : [] })}
      />
      {type === "flag" ? (
        <Pick
          label={text.labels.value}
          at={at}
          data={flags}
          value={only}
          onChange={(next) => onChange({ type, values: [next] })}
        />
      ) : isMany ? (
        <Tags label={text.labels.values} at={at} value={values} onChange={(next) => onChange({ type, values: next })} />
      ) : (
        <Phrase
          label={text.labels.value}
          at={at}
          value={only}
          onChange={(next) => onChange({ type, values: [next] })}
        />
      )}
    </>
  )
}

/** Selects the account of points. Absent if the programme has only one. */
export const UnitOf = ({ at, onChange, value }: Omit<FieldProps<ContentOf<"balance">["unit"]>, "label">) => {
  const units = useContext(Context).offer?.units ?? []
  const [primary] = units
  if (units.length < 2 && value === undefined) return <Words>{primary?.label ?? text.points}</Words>
  const data = units.length === 0 && value !== undefined ? [{ value, label: value }] : units
  const [first] = data
  if (first === undefined) return undefined
  return <Pick label={text.labels.unit} at={at} data={data} value={value ?? first.value} onChange={onChange} />
}

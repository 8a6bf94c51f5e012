/** Inputs of single values that the contract describes, with their faults. */
import type { TextInputProps } from "@mantine/core"
import { Button, Fieldset, Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core"
import { createContext, useContext, useState } from "react"
import { amountOf, amountText } from "../amounts.ts"
import { digitsOf } from "../format.ts"
import { Note } from "../Note.tsx"
import { instantOf, localOf } from "../schedule.ts"
import { strings } from "../strings.ts"
import { inWords, labelOf, messageInWords } from "../words/words.ts"
import { recordOf } from "./draft.ts"
import { durationText } from "./duration.ts"
import { NumberField } from "./NumberField.tsx"
import type { Shape } from "./shape.ts"

const text = strings.form

interface Fault {
  readonly path: string
  readonly message: string
}

interface FormContext {
  readonly faults: ReadonlyArray<Fault>
  readonly currency: string
  /** Zone of the times. */
  readonly zone: string
  /** The programme's rewards, for fields that name one. */
  readonly rewards: ReadonlyArray<{ readonly id: string; readonly name: string }>
  /** Units that the programme has accounts for. */
  readonly units: ReadonlyArray<string>
  readonly isReadOnly: boolean
  /** The contract's notes on fields, in the catalogue's words. */
  readonly notes?: Readonly<Record<string, string>>
  /** The parts of an input. Absent: the note stands above. */
  readonly order?: ReadonlyArray<"label" | "input" | "description" | "error">
}

/** A form that knows no programme. */
export const blankForm: FormContext = {
  faults: [],
  currency: "USD",
  zone: "UTC",
  rewards: [],
  units: [],
  isReadOnly: false
}

export const FormProvider = createContext(blankForm)

/** A function that tells the contract's note on a field in words. */
export const useNote = () => {
  const { notes = {} } = useContext(FormProvider)
  return ({ description = "" }: Shape): string => inWords(notes[description] ?? description)
}

/** Attributes that text fields differ in. */
export type TextAttributes = Pick<
  TextInputProps,
  "autoComplete" | "dir" | "inputMode" | "list" | "maxLength" | "placeholder" | "spellCheck" | "type"
> & { readonly hasSign?: boolean }

export interface InputProps<S extends Shape = Shape> {
  readonly shape: S
  readonly label: string
  /** JSON Pointer of the value. */
  readonly path: string
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** Absent: its label does not tell. */
  readonly isRequired?: boolean
  readonly input?: TextAttributes
  readonly isBare?: boolean
}

/** Of an input in a row, whose label is for those who do not see the row. */
export const bare = { labelProps: { className: "unseen" }, style: { flex: "1 1 8rem" } } as const

export const useCommon = ({ isBare, isRequired, label, path, shape }: InputProps) => {
  const { faults, order } = useContext(FormProvider)
  const noteOf = useNote()
  const own = faults.filter((fault) => fault.path === path).map((fault) => messageInWords(fault, path.endsWith("_bps")))
  return {
    label,
    ...(order === undefined ? {} : { inputWrapperOrder: [...order] }),
    ...(isRequired === true ? { required: true } : {}),
    ...(isBare === true ? bare : {}),
    ...(shape.description === undefined ? {} : { description: noteOf(shape) }),
    ...(own.length === 0 ? {} : { error: own.join("; ") })
  }
}

export const MoneyInput = (props: InputProps) => {
  const common = useCommon(props)
  const { faults, currency: usual } = useContext(FormProvider)
  const { amount, currency = usual } = recordOf(props.value)
  const digits = digitsOf(String(currency))
  // Text that is being typed. It counts only while it is the value: a list's items may move, and a draft may be replaced.
  const [typed, setTyped] = useState<string>()
  const isAmount = typeof amount === "number"
  const isTyped = typed !== undefined && (amountOf(typed, digits) ?? typed) === amount
  const written = isAmount ? amountText(amount, digits) : typeof amount === "string" ? amount : ""
  const within = faults.find(({ path }) => path.startsWith(`${props.path}/`))
  const fault = typeof amount === "string" ? text.noAmount : within === undefined ? undefined : messageInWords(within)
  return (
    <TextInput
      {...common}
      {...(fault === undefined ? {} : { error: fault })}
      inputMode="decimal"
      rightSection={<Note>{String(currency)}</Note>}
      rightSectionWidth={48}
      value={isTyped ? typed : written}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value)
        // The service refuses what is no amount, so that it is never published.
        props.onChange(value === "" ? undefined : { amount: amountOf(value, digits) ?? value, currency })
      }}
      onBlur={() => {
        if (isAmount) setTyped(undefined)
      }}
    />
  )
}

export const WholeInput = (props: InputProps) => {
  const common = useCommon(props)
  // Basis points are shown as per cent.
  const scale = props.path.endsWith("_bps") ? 100 : 1
  const duration =
    props.path.endsWith("_seconds") && typeof props.value === "number" ? durationText(props.value) : undefined
  return (
    <NumberField
      {...common}
      {...props.input}
      {...(duration === undefined ? {} : { description: `${duration}. ${common.description ?? ""}` })}
      decimals={scale > 1 ? 2 : 0}
      value={typeof props.value === "number" ? props.value / scale : ""}
      onChange={(value) => props.onChange(value === "" ? undefined : Math.round(value * scale))}
    />
  )
}

export const TextShape = (props: InputProps<Extract<Shape, { readonly kind: "text" }>>) => {
  const common = useCommon(props)
  const { rewards, units } = useContext(FormProvider)
  const value = typeof props.value === "string" ? props.value : ""
  const isUnit = props.path.endsWith("/unit") && !props.path.startsWith("/accounts/")
  const options = props.shape.options?.filter((one) => !isUnit || one === "" || one === value || units.includes(one))
  const onChange = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    props.onChange(currentTarget.value)
  if (options !== undefined)
    return (
      <NativeSelect
        {...common}
        data={options.map((option) => ({ value: option, label: option === "" ? text.notSet : labelOf(option) }))}
        value={value}
        onChange={onChange}
      />
    )
  if (props.path.endsWith("/description"))
    return <Textarea {...common} autosize minRows={2} value={value} onChange={onChange} />
  if (props.path.endsWith("/reward_id") && !props.path.startsWith("/rewards/")) {
    // The draft may name a reward that it lacks.
    const isThere = rewards.some(({ id }) => id === value)
    const named = rewards.map(({ id, name }) => ({ value: id, label: name }))
    return (
      <NativeSelect
        {...common}
        data={isThere ? named : [{ value, label: value === "" ? text.notSet : value }, ...named]}
        value={value}
        onChange={onChange}
      />
    )
  }
  const { hasSign: _, ...input } = props.input ?? {}
  return <TextInput {...common} {...input} value={value} onChange={onChange} />
}

/** An instant, in the programme's zone. */
export const TimeInput = (props: InputProps) => {
  const { description = "", ...common } = useCommon(props)
  const { zone } = useContext(FormProvider)
  const at = typeof props.value === "string" ? Date.parse(props.value) : Number.NaN
  return (
    <TextInput
      {...common}
      type="datetime-local"
      description={`${description} ${text.inZone(zone)}`.trim()}
      value={Number.isNaN(at) ? "" : localOf(at, zone)}
      onChange={({ currentTarget }) => {
        const instant = instantOf(currentTarget.value, zone)
        props.onChange(instant === undefined ? "" : new Date(instant).toISOString())
      }}
    />
  )
}

type Pair = readonly [name: string, value: unknown]

/** Parses typed text: numbers, true and false keep their type, all else is text. */
const scalarOf = (typed: string): unknown => {
  if (typed === "true" || typed === "false") return typed === "true"
  return typed.trim() !== "" && String(Number(typed)) === typed ? Number(typed) : typed
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Free-form values by name. A pair with no name or a repeated name is not part of the value yet. */
export const PairsInput = (props: InputProps) => {
  const common = useCommon(props)
  const [pairs, setPairs] = useState<ReadonlyArray<Pair>>(() => Object.entries(recordOf(props.value)))
  const isTaken = (among: ReadonlyArray<Pair>, at: number) =>
    among.slice(0, at).some(([name]) => name === among[at]?.[0])
  const put = (next: ReadonlyArray<Pair>) => {
    setPairs(next)
    props.onChange(Object.fromEntries(next.filter(([name], at) => name !== "" && !isTaken(next, at))))
  }
  return (
    <Fieldset variant="unstyled" className="shape" legend={props.label}>
      <Stack gap="xs">
        {common.description === undefined ? undefined : <Note>{common.description}</Note>}
        {common.error === undefined ? undefined : (
          <Text size="sm" c="red" role="alert">
            {common.error}
          </Text>
        )}
        {pairs.map(([name, value], at) => {
          // Nested values are shown but not edited here. Edit them in the programme's file.
          const isNested = typeof value === "object" && value !== null
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: only a pair's index is stable
            <Group key={at} align="flex-end" gap="xs">
              <TextInput
                label={text.pairName}
                style={{ flex: "1 1 7rem" }}
                value={name}
                error={name !== "" && isTaken(pairs, at) ? text.pairTaken : undefined}
                onChange={({ currentTarget }) => put(pairs.with(at, [currentTarget.value, value]))}
              />
              <TextInput
                label={text.pairValue}
                style={{ flex: "2 1 9rem" }}
                readOnly={isNested}
                value={textOf(value)}
                onChange={({ currentTarget }) => put(pairs.with(at, [name, scalarOf(currentTarget.value)]))}
              />
              <Button
                variant="subtle"
                color="red"
                size="xs"
                aria-label={text.remove(name === "" ? text.pairName : name)}
                onClick={() => put(pairs.filter((_, other) => other !== at))}
              >
                {text.take}
              </Button>
            </Group>
          )
        })}
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: "flex-start" }}
          onClick={() => setPairs([...pairs, ["", ""]])}
        >
          {text.add}
        </Button>
      </Stack>
    </Fieldset>
  )
}

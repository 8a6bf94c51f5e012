/** A field of a dialog: its input and whether it must be filled in follow from the contract. */
import "../words/labels.ts"
import { NativeSelect } from "@mantine/core"
import type { Schema } from "effect"
import type { ReactNode } from "react"
import { createContext, useContext, useState } from "react"
import { useZone } from "../program.tsx"
import { Replace } from "../Replace.tsx"
import { faultsWithin } from "../States.tsx"
import { strings } from "../strings.ts"
import type { Draft } from "./draft.ts"
import { valueAt } from "./draft.ts"
import { ShapeInput } from "./ShapeForm.tsx"
import type { TextAttributes } from "./ShapeInputs.tsx"
import { bare, blankForm, FormProvider } from "./ShapeInputs.tsx"
import { fieldAt, shapeOf } from "./shape.ts"

interface Form {
  readonly schema: Schema.Top
  readonly needs: ReadonlyArray<string>
  readonly draft: Draft
  readonly put: (at: string, next: unknown) => void
  /** The refusal of the payload; null: none. */
  readonly error: unknown
}

const FormFields = createContext<Form | undefined>(undefined)

const useForm = (): Form => {
  const form = useContext(FormFields)
  if (form === undefined) throw new Error("a field is part of a form")
  return form
}

/** The form of the fields in it. */
export const FieldsOf = ({ children, ...form }: Form & { readonly children: ReactNode }) => (
  <FormFields value={form}>{children}</FormFields>
)

/** Text or another value at a place of the payload, and its fault. */
export const useField = (at: string) => {
  const { draft, error, needs, put, schema } = useForm()
  const value = valueAt(draft, at)
  return {
    ...fieldAt(shapeOf(schema), at),
    isNeeded: needs.includes(at),
    value,
    onChange: (next: unknown) => put(at, next),
    error: faultsWithin(error, at, value)
  }
}

/** The same of a list of texts. */
export const useListField = (at: string) => {
  const { value, ...field } = useField(at)
  return { ...field, value: Array.isArray(value) ? value.map(String) : [] }
}

export interface FieldProps {
  /** Its place in the payload, a JSON Pointer. */
  readonly at: string
  readonly label: string
  readonly hint?: string
  /** Values to choose from, with their words. Absent: those of the contract, with their labels. */
  readonly options?:
    | Readonly<Record<string, string>>
    | ReadonlyArray<{ readonly value: string; readonly label: string }>
  readonly input?: TextAttributes
  /** True: people see its place in a row, or what it has, and not its label. */
  readonly isBare?: boolean
}

export const Field = ({ at, hint, input, isBare = false, label, options }: FieldProps) => {
  const { error, isNeeded, isRequired, onChange, shape, value } = useField(at)
  const zone = useZone()
  if (options !== undefined) {
    const offered = Array.isArray(options)
      ? options
      : Object.entries(options).map(([value, label]) => ({ value, label }))
    return (
      <NativeSelect
        {...(isBare ? bare : undefined)}
        label={label}
        description={hint}
        value={String(value ?? "")}
        data={value === undefined && isRequired ? [{ value: "", label: strings.form.notSet }, ...offered] : offered}
        onChange={({ currentTarget }) =>
          onChange(shape.kind === "number" ? Number(currentTarget.value) : currentTarget.value)
        }
        error={error}
      />
    )
  }
  const { description: _, ...plain } = shape
  return (
    <FormProvider value={{ ...blankForm, zone, faults: error === undefined ? [] : [{ path: at, message: error }] }}>
      <ShapeInput
        shape={hint === undefined ? plain : { ...plain, description: hint }}
        label={label}
        path={at}
        value={value}
        onChange={onChange}
        isRequired={isNeeded || (isRequired && shape.kind !== "flag")}
        isBare={isBare}
        {...(input === undefined ? undefined : { input })}
      />
    </FormProvider>
  )
}

/** After a conflict: the choice to overwrite the other change, of a payload with `expected_version`. */
export const ReplaceField = () => {
  const { error } = useForm()
  const { onChange, value } = useField("/expected_version")
  const [version] = useState(value)
  return (
    <Replace
      error={error}
      isChosen={value === undefined}
      choose={(isChosen) => onChange(isChosen ? undefined : version)}
    />
  )
}

/** The reason of a change, which the audit trail keeps. */
export const ReasonField = () => (
  <Field at="/reason" label={strings.states.reason} hint={strings.states.reasonHint} input={{ maxLength: 255 }} />
)

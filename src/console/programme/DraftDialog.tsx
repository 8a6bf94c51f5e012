/** Dialogs that change the draft of a programme: what they share. */
import { Chip, Group, Input, Stack, TextInput } from "@mantine/core"
import type { ReactNode } from "react"
import { useState } from "react"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Note } from "../shared/Note.tsx"
import { cardStrings as text } from "./cardStrings.ts"

/** Properties that each of these dialogs takes from the page. */
export interface DialogOf<Entry> {
  readonly label: string
  /** Accessible name, if the label alone is ambiguous. */
  readonly name?: string
  readonly onSave: (entry: Entry) => void
}

/** Aligns neighbouring inputs, however long their descriptions are. */
export const wrapperOrder = ["label", "input", "description", "error"] as const

/** True if it is a whole number from `least`. */
export const isWhole = (value: number | string, least = 1): boolean =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= least

/** The faults that are there. */
export const thoseThere = <Fault extends string>(
  checks: ReadonlyArray<readonly [Fault, boolean]>
): ReadonlyArray<Fault> => checks.flatMap(([fault, isThere]) => (isThere ? [fault] : []))

/** Fields of a dialog that show what is typed, change it, and tell their faults. */
export interface TypedFields<Typed, Fault extends string> {
  readonly typed: Typed
  readonly put: (more: Partial<Typed>) => void
  readonly errorOf: (fault: Fault, value: number | string) => { readonly error?: string }
}

/** Text typed into a dialog, which may be no entry yet. `start`: what an opened one shows. */
export const useTyped = <Typed extends object, Fault extends string>(
  start: () => Typed,
  faultsOf: (typed: Typed) => ReadonlyArray<Fault>,
  told: Readonly<Record<Fault, string>>
) => {
  const [typed, setTyped] = useState(start)
  const faults = faultsOf(typed)
  return {
    typed,
    faults,
    put: (more: Partial<Typed>) => setTyped((before) => ({ ...before, ...more })),
    begin: (): Typed => {
      const next = start()
      setTyped(next)
      return next
    },
    /** An empty field is no fault to tell of. It only keeps the button closed. */
    errorOf: (fault: Fault, value: number | string) =>
      value !== "" && faults.includes(fault) ? { error: told[fault] } : {}
  }
}

/** A dialog that puts what is typed into the draft. */
export const DraftDialog = (props: {
  readonly label: string
  readonly name?: string | undefined
  readonly isReady: boolean
  /** Called when it opens. */
  readonly begin: () => unknown
  readonly onSave: () => void
  /** Notice, given before, that it takes effect later. */
  readonly note?: string | undefined
  readonly children: ReactNode
}) => {
  const { begin, children, isReady, label, name, note, onSave } = props
  return (
    <ChangeDialog
      label={label}
      {...(name === undefined ? {} : { name })}
      submit={text.save}
      told={text.drafted}
      isReady={isReady}
      begin={begin}
      run={async () => onSave()}
    >
      <Stack gap="sm">
        {children}
        <Note>{note === undefined ? text.draftHint : `${note} ${text.draftHint}`}</Note>
      </Stack>
    </ChangeDialog>
  )
}

/** The name of what a dialog changes. */
export const NameField = (props: { readonly value: string; readonly onChange: (name: string) => void }) => (
  <TextInput
    label={text.name}
    description={text.nameHint}
    required
    value={props.value}
    onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
  />
)

/** The sentence that describes it to guests. */
export const DescriptionField = (props: { readonly value: string; readonly onChange: (value: string) => void }) => (
  <TextInput
    label={text.description}
    value={props.value}
    onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
  />
)

/** Fields that few need: folded away while they are empty. */
export const Folded = (props: {
  readonly label: string
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
  readonly children: ReactNode
}) => (
  <details open={props.isOpen} onToggle={({ currentTarget }) => props.onToggle(currentTarget.open)}>
    <summary>{props.label}</summary>
    <Stack gap="sm" mt="sm">
      {props.children}
    </Stack>
  </details>
)

/** Several of a few. */
export const Several = <A extends string>(props: {
  readonly label: string
  readonly description?: string
  readonly options: ReadonlyArray<{ readonly value: A; readonly label: string }>
  readonly value: ReadonlyArray<A>
  readonly error?: string | undefined
  readonly onChange: (value: ReadonlyArray<A>) => void
}) => {
  const { description, error, label, onChange, options, value } = props
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      {...(description === undefined ? {} : { description })}
      {...(error === undefined ? {} : { error })}
    >
      <Chip.Group multiple value={[...value]} onChange={(chosen) => onChange(chosen as Array<A>)}>
        <Group gap={6} mt={6} role="group" aria-label={label}>
          {options.map((one) => (
            <Chip key={one.value} value={one.value} size="xs" variant="outline">
              {one.label}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  )
}

/** The choices of a select, with their labels. */
export const optionsOf = <A extends string>(of: ReadonlyArray<A>, labels: Readonly<Record<A, string>>) =>
  of.map((value) => ({ value, label: labels[value] }))

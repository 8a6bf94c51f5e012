/** A field for ids of another system: people choose by name. An unknown id can be typed, and is warned of. */
import { Pill, TagsInput, Text } from "@mantine/core"
import type { ComponentProps, ReactNode } from "react"
import { useState } from "react"
import { Note } from "../Note.tsx"
import { chooserStrings } from "./chooserStrings.ts"

export interface Choice {
  readonly id: string
  readonly name?: string | undefined
  /** Tells it from others of the same name. */
  readonly more?: string | undefined
}

const namedBy = (typed: string, choices: ReadonlyArray<Choice>): string => {
  const wanted = typed.trim().toLowerCase()
  if (choices.some(({ id }) => id === typed)) return typed
  const [only, ...others] = choices.filter(({ name }) => name?.toLowerCase() === wanted)
  return only !== undefined && others.length === 0 ? only.id : typed
}

type Shown = Pick<
  ComponentProps<typeof TagsInput>,
  "aria-label" | "description" | "disabled" | "error" | "inputWrapperOrder" | "maxLength" | "openOnFocus" | "size" | "w"
>

export interface IdsProps extends Shown {
  readonly label?: ReactNode
  readonly value: ReadonlyArray<string>
  readonly onChange: (ids: ReadonlyArray<string>) => void
}

/** The list itself scrolls: an element in between could not be reached by keyboard. */
export const scrolling = { withScrollArea: false, styles: { options: { maxHeight: 220, overflowY: "auto" } } } as const

export const IdsInput = ({
  choices,
  known,
  onChange,
  onSearch,
  openOnFocus = true,
  unknown,
  value,
  ...shown
}: IdsProps & {
  /** The choices that are offered now. */
  readonly choices: ReadonlyArray<Choice>
  /** Those that are chosen, as far as they are known. Undefined: it is not known yet which are. */
  readonly known: ReadonlyArray<Choice> | undefined
  /** Called with the typed text; absent: all choices are there, and those that have the text are offered. */
  readonly onSearch?: (typed: string) => void
  readonly unknown: (ids: string) => string
}) => {
  const all = new Map([...choices, ...(known ?? [])].map((choice) => [choice.id, choice]))
  const nameOf = (id: string) => all.get(id)?.name ?? id
  const missing = known === undefined ? [] : value.filter((id) => !all.has(id))
  const [isOpen, setOpen] = useState(false)
  const textOf = ({ id, more = "", name = "" }: Choice) => `${name} ${id} ${more}`.toLowerCase()
  return (
    <div>
      <TagsInput
        acceptValueOnBlur
        splitChars={["\n"]}
        {...scrolling}
        {...shown}
        openOnFocus={openOnFocus}
        // A list of nothing, which is not shown, would take the Escape that is meant for the dialog.
        dropdownOpened={isOpen && choices.length > 0}
        onDropdownOpen={() => setOpen(true)}
        onDropdownClose={() => setOpen(false)}
        onClick={() => setOpen(true)}
        data={choices.map(({ id }) => id)}
        filter={({ options, search }) =>
          onSearch === undefined
            ? options.filter(
                (option) =>
                  "value" in option &&
                  textOf(all.get(option.value) ?? { id: option.value }).includes(search.trim().toLowerCase())
              )
            : options
        }
        renderOption={({ option: { value: id } }) => {
          const { more, name } = all.get(id) ?? { id }
          return (
            <div>
              <Text size="sm" dir="auto">
                {name ?? id}
              </Text>
              <Note size="xs">
                {[...(name === undefined ? [] : [id]), ...(more === undefined ? [] : [more])].join(" · ")}
              </Note>
            </div>
          )
        }}
        renderPill={({ disabled, onRemove, value: id = "" }) => (
          <Pill withRemoveButton={disabled !== true} {...(onRemove === undefined ? {} : { onRemove })} title={id}>
            {nameOf(id)}
          </Pill>
        )}
        onSearchChange={(typed) => {
          if (typed !== "") setOpen(true)
          onSearch?.(typed)
        }}
        value={[...value]}
        onChange={(next) => onChange(next.map((id) => (value.includes(id) ? id : namedBy(id, choices))))}
      />
      {missing.length === 0 ? undefined : (
        <Text size="sm" mt={4} role="status">
          {unknown(missing.map(chooserStrings.quoted).join(", "))}
        </Text>
      )}
    </div>
  )
}

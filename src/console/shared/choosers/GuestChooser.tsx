/** A field for a guest: offers those who match a name, an e-mail, digits of a phone or card, an order or an id. */
import { Select, Text } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Note } from "../Note.tsx"
import { sentenceOf } from "../States.tsx"
import { strings } from "../strings.ts"
import { chooserStrings } from "./chooserStrings.ts"
import { isFewDigits } from "./fewDigits.ts"
import type { Guest } from "./GuestCard.tsx"
import { guestName, guestsBy, useGuestLine } from "./GuestCard.tsx"
import { scrolling } from "./IdsInput.tsx"

const text = chooserStrings.guest

const most = "8"

export const GuestChooser = (props: {
  readonly label: string
  readonly program_id: string
  /** A guest who is not offered. */
  readonly but?: string
  readonly value: Guest | undefined
  readonly onChange: (guest: Guest | undefined) => void
  readonly error: string | undefined
  /** True if nobody need be chosen. */
  readonly isOptional?: boolean
}) => {
  const { but, error, isOptional = false, label, onChange, program_id, value } = props
  const lineOf = useGuestLine()
  const [typed, setTyped] = useState("")
  const [isOpen, setOpen] = useState(false)
  const [search] = useDebouncedValue(typed.trim(), 250)
  const isChosen = value !== undefined && typed === guestName(value)
  const found = useQuery({
    queryKey: ["offered", program_id, search],
    enabled: search !== "" && !isChosen,
    retry: false,
    queryFn: () => guestsBy(program_id, search, most)
  })
  // Guests of an earlier text are not offered: Enter would choose the wrong one.
  const isCurrent = search !== "" && search === typed.trim() && found.data !== undefined
  const others = isCurrent ? (found.data ?? []).filter(({ member_id }) => member_id !== but) : []
  const offered = isChosen ? [value] : others
  const refused = found.error === null ? error : sentenceOf(found.error)
  return (
    <Select
      label={label}
      description={text.hint}
      required={!isOptional}
      searchable
      allowDeselect={false}
      // A list of nothing, which is not shown, would take the Escape that is meant for the dialog.
      dropdownOpened={isOpen && (offered.length > 0 || isCurrent)}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      {...scrolling}
      data={offered.map((guest) => ({ value: guest.member_id, label: guestName(guest) }))}
      filter={({ options }) => options}
      renderOption={({ option: { value: id } }) => {
        const guest = offered.find(({ member_id }) => member_id === id)
        return guest === undefined ? (
          id
        ) : (
          <div>
            <Text size="sm" dir="auto">
              {guestName(guest)}
            </Text>
            <Note size="xs">{lineOf(guest)}</Note>
          </div>
        )
      }}
      {...(isCurrent && !isChosen
        ? { nothingFoundMessage: isFewDigits(search) ? strings.members.fewDigits : text.none }
        : {})}
      value={value?.member_id ?? null}
      onKeyDown={({ currentTarget, key }) => {
        const [only, ...more] = others
        // Enter takes the only guest there is, whose name is not just similar; of several one is gone to first.
        const isGoneTo = (currentTarget.getAttribute("aria-activedescendant") ?? "") !== ""
        if (key !== "Enter" || only === undefined || only.similar === true || more.length > 0 || isGoneTo || isChosen)
          return
        onChange(only)
        setOpen(false)
      }}
      onSearchChange={(next) => {
        setTyped(next)
        if (value !== undefined && next !== guestName(value)) onChange(undefined)
      }}
      onChange={(id) => onChange(offered.find(({ member_id }) => member_id === id))}
      error={refused}
    />
  )
}

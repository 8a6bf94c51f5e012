/** Fields of a dialog: when and where something holds, and on which products. */
import { Group, MultiSelect, TagsInput, TextInput } from "@mantine/core"
import { useState } from "react"
import { weekdays } from "../../contract/Promotions.ts"
import { Channel } from "../../contract/Values.ts"
import { SoldInput } from "../shared/choosers/SoldInput.tsx"
import { useLocationList } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { labelOf } from "../shared/words/words.ts"
import { Several, wrapperOrder } from "./DraftDialog.tsx"
import { occasionStrings as text } from "./occasionStrings.ts"
import type { OnEntry, WhenEntry, WhereEntry } from "./occasions.ts"
import { whenFaults } from "./occasions.ts"
import { daysInWords } from "./occasionWords.ts"

export const OnFields = (props: {
  readonly value: OnEntry
  readonly error?: string | undefined
  readonly onChange: (value: OnEntry) => void
}) => {
  const { error, onChange, value } = props
  return (["products", "categories"] as const).map((of) => (
    <SoldInput
      key={of}
      of={of}
      label={text[of]}
      description={text.idsHint[of]}
      value={value[of]}
      onChange={(ids) => onChange({ ...value, [of]: ids })}
      {...(error === undefined || of === "categories" ? {} : { error })}
    />
  ))
}

/** The restaurants by name, and how it is ordered. */
export const WhereFields = (props: { readonly value: WhereEntry; readonly onChange: (value: WhereEntry) => void }) => {
  const { onChange, value } = props
  const known = useLocationList().data?.locations ?? []
  const named = known.map(({ location_id, name = location_id }) => ({ value: location_id, label: name }))
  const unknown = value.places.filter((id) => !named.some((one) => one.value === id))
  const [typed, setTyped] = useState("")
  const [left, setLeft] = useState("")
  const put = (places: ReadonlyArray<string>) => onChange({ ...value, places })
  return (
    <>
      {known.length === 0 ? (
        <TagsInput
          label={text.places}
          description={text.placesHint.ids}
          acceptValueOnBlur
          value={[...value.places]}
          onChange={put}
        />
      ) : (
        <MultiSelect
          label={text.places}
          description={text.placesHint.names}
          searchable
          selectFirstOptionOnChange
          onSearchChange={(search) => {
            setTyped(search)
            if (search !== "") setLeft("")
          }}
          onBlur={() => setLeft(typed)}
          error={left === "" ? undefined : text.notChosen(left)}
          nothingFoundMessage={text.noPlace}
          data={[...named, ...unknown.map((id) => ({ value: id, label: id }))]}
          value={[...value.places]}
          onChange={put}
        />
      )}
      <Several
        label={text.channels}
        description={text.channelsHint}
        options={Channel.literals.map((one) => ({ value: one, label: labelOf(one) }))}
        value={value.channels}
        onChange={(channels) => onChange({ ...value, channels })}
      />
    </>
  )
}

interface WhenProps {
  /** Undefined: times that are not shown. */
  readonly value: WhenEntry | undefined
  readonly onChange: (value: WhenEntry) => void
}

/** The days of the week and the hours. */
export const WeeklyFields = ({ onChange, value, zone }: WhenProps & { readonly zone: string }) => {
  if (value === undefined) return <Note>{text.notShown}</Note>
  const error = whenFaults(value).includes("hours") ? { error: text.faults.hours } : {}
  return (
    <>
      <Several
        label={text.days}
        description={text.daysHint}
        options={weekdays.map((day) => ({ value: day, label: daysInWords([day]) }))}
        value={value.days}
        onChange={(days) => onChange({ ...value, days })}
      />
      <Group grow align="flex-start">
        {(["from", "until"] as const).map((of) => (
          <TextInput
            key={of}
            type="time"
            label={text[of]}
            inputWrapperOrder={[...wrapperOrder]}
            value={value[of]}
            onChange={({ currentTarget }) => onChange({ ...value, [of]: currentTarget.value })}
            {...(of === "until" ? error : {})}
          />
        ))}
      </Group>
      <Note>{text.hoursHint(zone)}</Note>
    </>
  )
}

/** The first and the last day. */
export const DateFields = ({ onChange, value }: WhenProps) => {
  if (value === undefined) return undefined
  const error = whenFaults(value).includes("dates") ? { error: text.faults.dates } : {}
  return (
    <Group grow align="flex-start">
      {(["first", "last"] as const).map((of) => (
        <TextInput
          key={of}
          type="date"
          label={text[of]}
          value={value[of]}
          onChange={({ currentTarget }) => onChange({ ...value, [of]: currentTarget.value })}
          {...(of === "last" ? error : {})}
        />
      ))}
    </Group>
  )
}

/** Fields of a dialog: when something holds, and on which products. */
import { Group, TagsInput, TextInput } from "@mantine/core"
import { weekdays } from "../../../contract/Promotions.ts"
import type { OnEntry, WhenEntry } from "../../app/occasions.ts"
import { whenFaults } from "../../app/occasions.ts"
import { occasionStrings as text } from "../../app/occasionStrings.ts"
import { Note } from "../../ui/Note.tsx"
import { Several } from "./DraftDialog.tsx"
import { daysInWords } from "./occasionWords.ts"

const wrapperOrder = ["label", "input", "description", "error"] as const

export const OnFields = (props: {
  readonly value: OnEntry
  readonly error?: string | undefined
  readonly onChange: (value: OnEntry) => void
}) => {
  const { error, onChange, value } = props
  return (["products", "categories"] as const).map((of) => (
    <TagsInput
      key={of}
      label={text[of]}
      description={text.idsHint[of]}
      value={[...value[of]]}
      onChange={(ids) => onChange({ ...value, [of]: ids })}
      {...(error === undefined || of === "categories" ? {} : { error })}
    />
  ))
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

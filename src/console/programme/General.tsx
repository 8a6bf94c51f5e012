/** An edited programme itself: in words, a short dialog, and the forms. */
import { NativeSelect, SimpleGrid, Text, TextInput } from "@mantine/core"
import { Schema } from "effect"
import { ProgramFile } from "../../contract/ProgramFile.ts"
import { amountOf, amountText } from "../shared/amounts.ts"
import { NumberField } from "../shared/form/NumberField.tsx"
import { digitsOf, money, number } from "../shared/format.ts"
import { locales } from "../shared/language.ts"
import { Note } from "../shared/Note.tsx"
import { timeZones } from "../shared/timeZones.ts"
import { valueText } from "../shared/words/values.ts"
import type { Section } from "./Cards.tsx"
import { InWords, useCards } from "./Cards.tsx"
import type { DialogOf } from "./DraftDialog.tsx"
import {
  DescriptionField,
  DraftDialog,
  isWhole,
  NameField,
  thoseThere,
  useTyped,
  wrapperOrder
} from "./DraftDialog.tsx"
import type { GeneralEntry } from "./general.ts"
import { generalEntryOf, withGeneralEntry } from "./general.ts"
import { generalStrings } from "./generalStrings.ts"
import { zoneOf } from "./zone.ts"

const text = generalStrings.dialog

const mostPoints = 1_000_000

const isValue = Schema.is(ProgramFile.fields.point_value)

/** A currency by name: `US Dollar (USD)`; an unknown one as it is. */
const currencyName = (currency: string): string => {
  try {
    return `${new Intl.DisplayNames([...locales], { type: "currency" }).of(currency)} (${currency})`
  } catch {
    return currency
  }
}

/** Typed text, which may be no entry yet. */
interface Typed extends Omit<GeneralEntry, "value"> {
  readonly points: number | string
  readonly worth: string
}

const typedOf = ({ value, ...entry }: GeneralEntry, digits: number): Typed => ({
  ...entry,
  points: value?.points ?? "",
  worth: value === undefined ? "" : amountText(value.worth, digits)
})

const entryOf = ({ points, worth, ...typed }: Typed, digits: number): GeneralEntry => ({
  ...typed,
  name: typed.name.trim(),
  country: typed.country.trim().toUpperCase(),
  value: worth === "" ? undefined : { points: Number(points), worth: amountOf(worth, digits) ?? 0 }
})

const faultsOf = ({ country, name, points, worth }: Typed, digits: number) => {
  const isNone = points === "" && worth === ""
  return thoseThere<keyof typeof text.faults>([
    ["name", name.trim() === ""],
    ["country", !/^([a-z]{2})?$/i.test(country.trim())],
    ["points", !isNone && (!isWhole(points) || Number(points) > mostPoints)],
    ["worth", !isNone && (amountOf(worth, digits) ?? 0) === 0]
  ])
}

interface GeneralDialogProps extends DialogOf<GeneralEntry> {
  readonly entry: GeneralEntry
  readonly currency: string
}

const GeneralDialog = ({ currency, entry, label, onSave }: GeneralDialogProps) => {
  const digits = digitsOf(currency)
  const { begin, errorOf, faults, put, typed } = useTyped(
    () => typedOf(entry, digits),
    (next) => faultsOf(next, digits),
    text.faults
  )
  const listed = typed.zone === "" || timeZones.includes(typed.zone) ? timeZones : [typed.zone, ...timeZones]
  return (
    <DraftDialog
      label={label}
      isReady={faults.length === 0}
      begin={begin}
      onSave={() => onSave(entryOf(typed, digits))}
    >
      <NameField value={typed.name} onChange={(name) => put({ name })} />
      <DescriptionField value={typed.description} onChange={(description) => put({ description })} />
      <NativeSelect
        label={text.zone}
        description={text.zoneHint}
        value={typed.zone}
        data={[{ value: "", label: text.noZone }, ...listed]}
        onChange={({ currentTarget }) => put({ zone: currentTarget.value })}
      />
      <TextInput
        label={text.country}
        description={text.countryHint}
        inputWrapperOrder={[...wrapperOrder]}
        value={typed.country}
        onChange={({ currentTarget }) => put({ country: currentTarget.value })}
        {...errorOf("country", typed.country)}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <NumberField
          label={text.points}
          inputWrapperOrder={[...wrapperOrder]}
          value={typed.points}
          onChange={(points) => put({ points })}
          {...errorOf("points", typed.points)}
        />
        <TextInput
          label={text.worth(currency)}
          inputWrapperOrder={[...wrapperOrder]}
          inputMode="decimal"
          value={typed.worth}
          onChange={({ currentTarget }) => put({ worth: currentTarget.value })}
          {...errorOf("worth", typed.worth)}
        />
      </SimpleGrid>
      <Note>{text.worthHint}</Note>
    </DraftDialog>
  )
}

export const General = (props: { readonly section: Section; readonly currency: string }) => {
  const { currency, section } = props
  const { draft } = section
  const { changes, replace } = useCards(section)
  const drafted = draft["point_value"]
  const value = isValue(drafted) ? drafted : undefined
  const entry = generalEntryOf(draft, value)
  const zone = zoneOf(draft)
  const own = draft["metadata"]
  const lines = [
    generalStrings.currency(currencyName(currency)),
    generalStrings.zone(zone),
    ...(entry.country === "" ? [] : [generalStrings.country(entry.country)]),
    value === undefined
      ? generalStrings.noWorth
      : generalStrings.worth(value.points, number(value.points), money(value.worth)),
    ...(typeof own === "object" && own !== null && Object.keys(own).length > 0
      ? [generalStrings.own(valueText(own, zone))]
      : [])
  ]
  return (
    <InWords
      text={generalStrings}
      section={section}
      changes={changes}
      dialog={
        <GeneralDialog
          label={generalStrings.edit}
          entry={entry}
          currency={currency}
          onSave={(next) => replace(withGeneralEntry(draft, next, currency))}
        />
      }
    >
      <Text fw={600} style={{ overflowWrap: "anywhere" }}>
        {entry.name === "" ? generalStrings.unnamed : entry.name}
      </Text>
      {entry.description === "" ? undefined : <Note>{entry.description}</Note>}
      {lines.map((line) => (
        <Text key={line} size="sm" style={{ overflowWrap: "anywhere" }}>
          {line}
        </Text>
      ))}
    </InWords>
  )
}

/** When points of an edited programme expire: in words, a short dialog, and the form. */
import { NativeSelect, SimpleGrid, TagsInput, Text } from "@mantine/core"
import { Schema } from "effect"
import { ProgramFile } from "../../contract/ProgramFile.ts"
import { numberOf } from "../shared/amounts.ts"
import { NumberField } from "../shared/form/NumberField.tsx"
import { number } from "../shared/format.ts"
import { locales } from "../shared/language.ts"
import type { Section } from "./Cards.tsx"
import { InWords, useCards } from "./Cards.tsx"
import { cardStrings } from "./cardStrings.ts"
import { DraftDialog, isWhole, optionsOf, thoseThere, useTyped } from "./DraftDialog.tsx"
import type { ExpiryEntry } from "./earning.ts"
import { expiryEnds, expiryEntryOf, expiryKinds, expiryUnits, withExpiryEntry } from "./earning.ts"
import { earningStrings } from "./earningStrings.ts"
import { withPart } from "./occasions.ts"

const text = earningStrings.expiry

const isExpiration = Schema.is(ProgramFile.fields.point_expiration)

const linesOf = (entry: ExpiryEntry): ReadonlyArray<string> => {
  const { count, end, kind, unit, warnings } = entry
  if (kind === "never") return [text.never]
  const time = text[unit](count, number(count))
  const days = warnings.toSorted((a, b) => b - a)
  return [
    kind === "after_earned" ? text.sentence(text.after_earned(time), text.ends[end]) : text.after_inactivity(time),
    days.length === 0
      ? text.unwarned
      : text.warned(new Intl.ListFormat([...locales]).format(days.map(number)), days.at(-1) ?? 0)
  ]
}

/** Typed text, which may be no entry yet. */
interface Typed extends Omit<ExpiryEntry, "count" | "warnings"> {
  readonly count: number | string
  readonly warnings: ReadonlyArray<string>
}

const typedOf = (entry: ExpiryEntry): Typed => ({ ...entry, warnings: entry.warnings.map(String) })

const faultsOf = ({ count, kind, warnings }: Typed) =>
  thoseThere<keyof typeof text.faults>([
    ["count", kind !== "never" && !isWhole(count)],
    ["warnings", kind !== "never" && !warnings.every((days) => isWhole(numberOf(days, 0)))]
  ])

const ExpiryDialog = (props: { readonly entry: ExpiryEntry; readonly onSave: (entry: ExpiryEntry) => void }) => {
  const { entry, onSave } = props
  const { begin, errorOf, faults, put, typed } = useTyped(() => typedOf(entry), faultsOf, text.faults)
  return (
    <DraftDialog
      label={text.edit}
      isReady={faults.length === 0}
      begin={begin}
      onSave={() =>
        onSave({
          ...typed,
          count: Number(typed.count),
          warnings: typed.warnings.map((days) => Number(numberOf(days, 0)))
        })
      }
    >
      <NativeSelect
        label={text.kind}
        value={typed.kind}
        data={optionsOf(expiryKinds, text.kinds)}
        onChange={({ currentTarget }) => put({ kind: currentTarget.value as Typed["kind"] })}
      />
      {typed.kind === "never" ? undefined : (
        <>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <NumberField
              label={text.count}
              required
              value={typed.count}
              onChange={(count) => put({ count })}
              {...errorOf("count", typed.count)}
            />
            <NativeSelect
              label={text.unit}
              value={typed.unit}
              data={optionsOf(expiryUnits, text.units)}
              onChange={({ currentTarget }) => put({ unit: currentTarget.value as Typed["unit"] })}
            />
          </SimpleGrid>
          {typed.kind === "after_inactivity" ? undefined : (
            <NativeSelect
              label={text.end}
              value={typed.end}
              data={optionsOf(expiryEnds, text.ends)}
              onChange={({ currentTarget }) => put({ end: currentTarget.value as Typed["end"] })}
            />
          )}
          <TagsInput
            label={text.warnings}
            description={text.warningsHint}
            value={[...typed.warnings]}
            onChange={(warnings) => put({ warnings })}
            {...errorOf("warnings", typed.warnings.join())}
          />
        </>
      )}
    </DraftDialog>
  )
}

export const Expiry = ({ section }: { readonly section: Section }) => {
  const { changes, replace } = useCards(section)
  const drafted = section.draft["point_expiration"]
  const before = isExpiration(drafted) ? drafted : undefined
  const isIncomplete = drafted !== undefined && before === undefined
  const entry = expiryEntryOf(before)
  return (
    <InWords
      text={text}
      section={section}
      changes={changes}
      dialog={
        <ExpiryDialog
          entry={entry}
          onSave={(next) => replace(withPart(section.draft, "point_expiration", withExpiryEntry(before, next)))}
        />
      }
    >
      {(isIncomplete ? [cardStrings.incomplete] : linesOf(entry)).map((line) => (
        <Text key={line}>{line}</Text>
      ))}
    </InWords>
  )
}

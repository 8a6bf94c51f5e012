/** When points of an edited programme expire: in words, a short dialog, and the form. */
import { NativeSelect, NumberInput, SimpleGrid, Stack, TagsInput, Text } from "@mantine/core"
import { Schema } from "effect"
import { useState } from "react"
import { ProgramFile } from "../../../contract/ProgramFile.ts"
import { cardStrings } from "../../app/cardStrings.ts"
import type { ExpiryEntry } from "../../app/earning.ts"
import { expiryEnds, expiryEntryOf, expiryKinds, expiryUnits, withExpiryEntry } from "../../app/earning.ts"
import { earningStrings } from "../../app/earningStrings.ts"
import { number } from "../../app/format.ts"
import { withPart } from "../../app/occasions.ts"
import { ChangeDialog } from "../../ui/ChangeDialog.tsx"
import { Note } from "../../ui/Note.tsx"
import { Panel } from "../../ui/Panel.tsx"
import type { Section } from "./Cards.tsx"
import { Advanced, useCards } from "./Cards.tsx"

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
      : text.warned(new Intl.ListFormat(undefined).format(days.map(number)), days.at(-1) ?? 0)
  ]
}

/** What is typed, which may be no entry yet. */
interface Typed extends Omit<ExpiryEntry, "count" | "warnings"> {
  readonly count: number | string
  readonly warnings: ReadonlyArray<string>
}

const typedOf = (entry: ExpiryEntry): Typed => ({ ...entry, warnings: entry.warnings.map(String) })

const isWhole = (value: number | string): boolean => Number.isSafeInteger(Number(value)) && Number(value) >= 1

const optionsOf = <A extends string>(of: ReadonlyArray<A>, labels: Readonly<Record<A, string>>) =>
  of.map((value) => ({ value, label: labels[value] }))

const ExpiryDialog = (props: { readonly entry: ExpiryEntry; readonly onSave: (entry: ExpiryEntry) => void }) => {
  const { entry, onSave } = props
  const [typed, setTyped] = useState(() => typedOf(entry))
  const put = (more: Partial<Typed>) => setTyped((before) => ({ ...before, ...more }))
  const isCounted = isWhole(typed.count)
  const isWarned = typed.warnings.every(isWhole)
  return (
    <ChangeDialog
      label={text.edit}
      submit={cardStrings.save}
      told={cardStrings.drafted}
      isReady={typed.kind === "never" || (isCounted && isWarned)}
      begin={() => setTyped(typedOf(entry))}
      run={async () => onSave({ ...typed, count: Number(typed.count), warnings: typed.warnings.map(Number) })}
    >
      <Stack gap="sm">
        <NativeSelect
          label={text.kind}
          value={typed.kind}
          data={optionsOf(expiryKinds, text.kinds)}
          onChange={({ currentTarget }) => put({ kind: currentTarget.value as Typed["kind"] })}
        />
        {typed.kind === "never" ? undefined : (
          <>
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
              <NumberInput
                label={text.count}
                required
                allowDecimal={false}
                value={typed.count}
                onChange={(count) => put({ count })}
                {...(isCounted ? {} : { error: text.faults.count })}
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
              {...(isWarned ? {} : { error: text.faults.warnings })}
            />
          </>
        )}
        <Note>{cardStrings.draftHint}</Note>
      </Stack>
    </ChangeDialog>
  )
}

export const Expiry = ({ section }: { readonly section: Section }) => {
  const { changes, replace } = useCards(section)
  const drafted = section.draft["point_expiration"]
  const before = isExpiration(drafted) ? drafted : undefined
  const isIncomplete = drafted !== undefined && before === undefined
  const entry = expiryEntryOf(before)
  return (
    <Stack>
      <Panel
        title={text.title}
        actions={
          section.isReadOnly ? undefined : (
            <ExpiryDialog
              entry={entry}
              onSave={(next) => replace(withPart(section.draft, "point_expiration", withExpiryEntry(before, next)))}
            />
          )
        }
      >
        <Stack gap={6}>
          {(isIncomplete ? [cardStrings.incomplete] : linesOf(entry)).map((line) => (
            <Text key={line}>{line}</Text>
          ))}
        </Stack>
      </Panel>
      <Advanced label={text.advanced} section={section} changes={changes} />
    </Stack>
  )
}

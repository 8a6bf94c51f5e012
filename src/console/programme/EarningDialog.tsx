/** A short dialog for how an edited programme earns. */
import { SimpleGrid, TagsInput, Text, TextInput } from "@mantine/core"
import { Channel, LineKind } from "../../contract/Values.ts"
import { amountOf, amountText } from "../shared/amounts.ts"
import { chooserStrings } from "../shared/choosers/chooserStrings.ts"
import { SoldInput } from "../shared/choosers/SoldInput.tsx"
import { NumberField } from "../shared/form/NumberField.tsx"
import { digitsOf } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { labelOf } from "../shared/words/words.ts"
import type { DialogOf } from "./DraftDialog.tsx"
import { DraftDialog, isWhole, Several, thoseThere, useTyped } from "./DraftDialog.tsx"
import type { EarningEntry } from "./earning.ts"
import { earningStrings } from "./earningStrings.ts"

const text = earningStrings.dialog

/** Typed text, which may be no entry yet. */
interface Typed extends Omit<EarningEntry, "points" | "spend" | "least"> {
  readonly points: number | string
  readonly spend: string
  readonly least: string
}

const typedOf = (entry: EarningEntry, digits: number): Typed => ({
  ...entry,
  spend: amountText(entry.spend, digits),
  least: amountText(entry.least, digits)
})

const entryOf = (typed: Typed, digits: number): EarningEntry => ({
  ...typed,
  points: Number(typed.points),
  spend: amountOf(typed.spend, digits) ?? 0,
  least: amountOf(typed.least, digits) ?? 0
})

const faultsOf = ({ channels, least, points, spend }: Typed, digits: number) =>
  thoseThere<keyof typeof text.faults>([
    ["points", !isWhole(points, 0)],
    ["spend", (amountOf(spend, digits) ?? 0) === 0],
    ["least", amountOf(least, digits) === undefined],
    ["channels", channels.length === 0]
  ])

const labelled = <A extends string>(values: ReadonlyArray<A>) =>
  values.map((value) => ({ value, label: labelOf(value) }))

interface EarningDialogProps extends DialogOf<EarningEntry> {
  readonly entry: EarningEntry
  /** The primary account's unit in words. */
  readonly unit: string
  /** True if each order earns the same on the primary account. */
  readonly isFixed: boolean
  readonly currency: string
}

export const EarningDialog = (props: EarningDialogProps) => {
  const { currency, entry, isFixed, label, onSave, unit } = props
  const digits = digitsOf(currency)
  const { begin, errorOf, faults, put, typed } = useTyped(
    () => typedOf(entry, digits),
    (next) => faultsOf(next, digits),
    text.faults
  )
  return (
    <DraftDialog
      label={label}
      isReady={faults.length === 0}
      begin={begin}
      onSave={() => onSave(entryOf(typed, digits))}
    >
      {isFixed ? (
        <Note>{text.fixed}</Note>
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <NumberField
            label={text.points(unit)}
            required
            value={typed.points}
            onChange={(points) => put({ points })}
            {...errorOf("points", typed.points)}
          />
          <TextInput
            label={text.spend(currency)}
            required
            inputMode="decimal"
            value={typed.spend}
            onChange={({ currentTarget }) => put({ spend: currentTarget.value })}
            {...errorOf("spend", typed.spend)}
          />
        </SimpleGrid>
      )}
      <TextInput
        label={text.least(currency)}
        required
        inputMode="decimal"
        value={typed.least}
        onChange={({ currentTarget }) => put({ least: currentTarget.value })}
        {...errorOf("least", typed.least)}
      />
      <Several
        label={text.channels}
        options={labelled(Channel.literals)}
        value={typed.channels}
        error={faults.includes("channels") ? text.faults.channels : undefined}
        onChange={(channels) => put({ channels })}
      />
      <Text fw={600}>{text.exclusions}</Text>
      {(["products", "categories"] as const).map((of) => (
        <SoldInput
          key={of}
          of={of}
          label={text[of]}
          description={chooserStrings.hint}
          value={typed[of]}
          onChange={(ids) => put({ [of]: ids })}
        />
      ))}
      <TagsInput
        label={text.tags}
        description={text.idsHint}
        value={[...typed.tags]}
        onChange={(tags) => put({ tags })}
      />
      <Several
        label={text.kinds}
        options={labelled(LineKind.literals)}
        value={typed.lineKinds}
        onChange={(lineKinds) => put({ lineKinds })}
      />
    </DraftDialog>
  )
}

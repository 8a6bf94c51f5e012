/** The stamp card of an edited programme: in words, a short dialog, and the form. */
import { Checkbox, Group, NativeSelect, Text } from "@mantine/core"
import { Schema } from "effect"
import { ProgramFile } from "../../contract/ProgramFile.ts"
import type { Unit } from "../../contract/Values.ts"
import { NumberField } from "../shared/form/NumberField.tsx"
import { number } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { TakeBack } from "../shared/TakeBack.tsx"
import { takeBackStrings } from "../shared/takeBackStrings.ts"
import type { Section } from "./Cards.tsx"
import { CardLines, InWords, useCards } from "./Cards.tsx"
import { cardStrings } from "./cardStrings.ts"
import type { DialogOf } from "./DraftDialog.tsx"
import { DraftDialog, isWhole, optionsOf, thoseThere, useTyped } from "./DraftDialog.tsx"
import type { Filling, StampCardEntry } from "./general.ts"
import { fillings, isBySpend, newUnit, stampCardEntryOf, withFilling, withStampCardEntry } from "./general.ts"
import { generalStrings } from "./generalStrings.ts"
import type { NamedItem } from "./named.ts"
import { namedIn, nameIn } from "./named.ts"
import { OnFields } from "./OccasionFields.tsx"
import type { OnEntry } from "./occasions.ts"
import { withPart } from "./occasions.ts"
import type { NamedUnit } from "./units.ts"
import { unitsOf } from "./units.ts"

const text = generalStrings.stampCard

const isCard = Schema.is(ProgramFile.fields.stamp_card)

const kinds = ["none", "card"] as const

/** Typed text, which may be no entry yet. */
interface Typed extends Omit<StampCardEntry, "threshold" | "days" | "unit"> {
  /** An account's unit, or how a new one is filled. */
  readonly unit: Unit | Filling
  readonly on: OnEntry
  readonly kind: (typeof kinds)[number]
  readonly threshold: number | string
  readonly days: number | string
}

const noProducts: OnEntry = { products: [], categories: [] }

const isFilling = (unit: Typed["unit"]): unit is Filling => fillings.some((one) => one === unit)

const typedOf = (entry: StampCardEntry | undefined, units: ReadonlyArray<NamedUnit>): Typed => {
  const first = units[0]?.unit ?? "order"
  if (entry === undefined)
    return { kind: "none", unit: first, threshold: 10, reward: "", resets: true, days: "", on: noProducts }
  const isOffered = units.some(({ unit }) => unit === entry.unit)
  return { ...entry, unit: isOffered ? entry.unit : first, kind: "card", days: entry.days ?? "", on: noProducts }
}

const faultsOf = ({ days, kind, on, reward, threshold, unit }: Typed) =>
  thoseThere<keyof typeof text.faults>([
    ["threshold", kind === "card" && !isWhole(threshold)],
    ["products", kind === "card" && unit === "items" && on.products.length + on.categories.length === 0],
    ["reward", kind === "card" && reward === ""],
    ["days", kind === "card" && days !== "" && !(Number(days) > 0)]
  ])

/** A card; with `filling` its unit is that of a new account. */
interface SavedCard extends StampCardEntry {
  readonly filling: Filling | undefined
  readonly on: OnEntry
}

interface StampCardDialogProps extends DialogOf<SavedCard | undefined> {
  /** Undefined: there is none. */
  readonly entry: StampCardEntry | undefined
  /** The unit of a new account; undefined: there can be none. */
  readonly fresh: Unit | undefined
  /** Accounts that guests do not earn by spend. */
  readonly units: ReadonlyArray<NamedUnit>
  readonly rewards: ReadonlyArray<NamedItem>
}

const StampCardDialog = ({ entry, fresh, label, onSave, rewards, units }: StampCardDialogProps) => {
  const { begin, errorOf, faults, put, typed } = useTyped(() => typedOf(entry, units), faultsOf, text.faults)
  const save = () => {
    const { days, kind, threshold, unit: chosen, ...same } = typed
    const left = days === "" ? undefined : Number(days)
    const filling = isFilling(chosen) ? chosen : undefined
    const unit = isFilling(chosen) ? fresh : chosen
    if (kind === "none") onSave(undefined)
    else if (unit !== undefined) onSave({ ...same, filling, unit, threshold: Number(threshold), days: left })
  }
  const offered = [
    ...units.map(({ name, unit }) => ({ value: unit as string, label: name })),
    ...(fresh === undefined ? [] : optionsOf(fillings, text.fillings))
  ]
  return (
    <DraftDialog label={label} isReady={faults.length === 0} begin={begin} onSave={save}>
      <NativeSelect
        label={text.has}
        value={typed.kind}
        data={optionsOf(kinds, text.kinds)}
        onChange={({ currentTarget }) => put({ kind: currentTarget.value as Typed["kind"] })}
      />
      {typed.kind === "none" ? undefined : (
        <>
          {rewards.length === 0 ? <Note>{text.needsReward}</Note> : undefined}
          <NativeSelect
            label={text.unit}
            value={typed.unit}
            data={offered}
            onChange={({ currentTarget }) => put({ unit: currentTarget.value as Typed["unit"] })}
          />
          <NumberField
            label={text.threshold}
            required
            value={typed.threshold}
            onChange={(threshold) => put({ threshold })}
            {...errorOf("threshold", typed.threshold)}
          />
          {typed.unit === "items" ? (
            <OnFields
              value={typed.on}
              onChange={(on) => put({ on })}
              error={faults.includes("products") ? text.faults.products : undefined}
            />
          ) : undefined}
          <NativeSelect
            label={text.reward}
            required
            value={typed.reward}
            data={[
              ...(typed.reward === "" ? [{ value: "", label: text.choose }] : []),
              ...rewards.map(({ id, name }) => ({ value: id, label: name }))
            ]}
            onChange={({ currentTarget }) => put({ reward: currentTarget.value })}
          />
          <Checkbox
            label={text.empties}
            checked={typed.resets}
            onChange={({ currentTarget }) => put({ resets: currentTarget.checked })}
          />
          <NumberField
            label={text.days}
            decimals={5}
            value={typed.days}
            onChange={(days) => put({ days })}
            {...errorOf("days", typed.days)}
          />
        </>
      )}
    </DraftDialog>
  )
}

export const StampCard = ({ id, section }: { readonly id: string; readonly section: Section }) => {
  const { draft } = section
  const { changes, replace } = useCards(section)
  const drafted = draft["stamp_card"]
  const before = isCard(drafted) ? drafted : undefined
  const entry = before && stampCardEntryOf(before)
  const units = unitsOf(draft)
  const rewards = namedIn(draft, "rewards", "reward_id")
  const save = (next: SavedCard | undefined) => {
    const filled =
      next?.filling === undefined ? draft : withFilling(draft, next.unit, next.filling, text.title, next.on)
    replace(withPart(filled, "stamp_card", next && withStampCardEntry(before, next)))
  }
  const offered = units.filter(({ unit }) => !isBySpend(draft, unit))
  const unitName = units.find(({ unit }) => unit === entry?.unit)?.name ?? entry?.unit ?? ""
  return (
    <InWords
      text={text}
      section={section}
      changes={changes}
      dialog={
        <StampCardDialog
          label={text.edit}
          entry={entry}
          fresh={newUnit(draft)}
          units={offered}
          rewards={rewards}
          onSave={save}
        />
      }
    >
      {entry === undefined ? (
        <Text>{drafted === undefined ? text.none : cardStrings.incomplete}</Text>
      ) : (
        <CardLines
          first={text.fills(number(entry.threshold), unitName)}
          lines={[
            text.gives(nameIn(rewards, entry.reward)),
            ...(entry.days === undefined ? [] : [text.usable(entry.days, number(entry.days))]),
            entry.resets ? text.resets : text.stays
          ]}
        />
      )}
      {/* Also where the card is gone: what it gave by mistake is still in the wallets. */}
      <Group>
        <TakeBack program_id={id} cause={{ stamp_card: true }} name={takeBackStrings.ofCard} hasRange />
      </Group>
    </InWords>
  )
}

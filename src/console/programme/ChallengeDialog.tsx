/** A short dialog for one challenge of an edited programme. */
import { Checkbox, NativeSelect, SimpleGrid, TextInput } from "@mantine/core"
import { useState } from "react"
import type { ChallengeKind } from "../../contract/Challenges.ts"
import { challengeKinds } from "../../contract/Challenges.ts"
import { amountOf, amountText } from "../shared/amounts.ts"
import { NumberField } from "../shared/form/NumberField.tsx"
import { digitsOf } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { challengeStrings } from "./challengeStrings.ts"
import type { ChallengeEntry, ChallengeEvery } from "./challenges.ts"
import { everysOf } from "./challenges.ts"
import type { DialogOf, TypedFields } from "./DraftDialog.tsx"
import {
  DescriptionField,
  DraftDialog,
  Folded,
  isWhole,
  NameField,
  optionsOf,
  thoseThere,
  useTyped,
  wrapperOrder
} from "./DraftDialog.tsx"
import type { NamedItem } from "./named.ts"
import { DateFields, OnFields, WeeklyFields, WhereFields } from "./OccasionFields.tsx"
import { whenFaults } from "./occasions.ts"

const text = challengeStrings.dialog

/** Typed text, which may be no entry yet. */
interface Typed extends Omit<ChallengeEntry, "amount" | "spend" | "days"> {
  readonly amount: number | string
  readonly spent: string
  readonly least: string
  readonly days: number | string
}

const typedOf = (entry: ChallengeEntry | undefined, digits: number): Typed => {
  if (entry === undefined)
    return {
      name: "",
      description: "",
      kind: "orders",
      amount: "",
      spent: "",
      every: undefined,
      repeats: false,
      on: { products: [], categories: [] },
      where: { places: [], channels: [] },
      when: { days: [], from: "", until: "", first: "", last: "" },
      least: "",
      reward: "",
      days: ""
    }
  const { amount, days = "", kind, spend, ...shown } = entry
  const counted = kind === "spend" ? { amount: "", spent: amountText(amount, digits) } : { amount, spent: "" }
  return { ...shown, ...counted, kind, days, least: spend === undefined ? "" : amountText(spend, digits) }
}

const entryOf = ({ amount, days, least, spent, ...typed }: Typed, digits: number): ChallengeEntry => ({
  ...typed,
  name: typed.name.trim(),
  amount: typed.kind === "spend" ? (amountOf(spent, digits) ?? 0) : Number(amount),
  spend: least === "" ? undefined : amountOf(least, digits),
  days: days === "" ? undefined : Number(days)
})

type Fault = keyof typeof text.faults

const faultsOf = (typed: Typed, digits: number, hasTags: boolean) => {
  const { amount, days, kind, least, name, on, reward, spent } = typed
  const isForAll = on.products.length === 0 && on.categories.length === 0 && !hasTags
  return thoseThere<Fault>([
    ["name", name.trim() === ""],
    ["amount", kind !== "spend" && !isWhole(amount)],
    ["spent", kind === "spend" && (amountOf(spent, digits) ?? 0) === 0],
    ["products", kind === "items" && isForAll],
    ["reward", reward === ""],
    ["least", least !== "" && amountOf(least, digits) === undefined],
    ["days", days !== "" && !(Number(days) > 0)]
  ])
}

/** Why these times are offered and no others. */
const everyHint = (kind: ChallengeKind): string => {
  if (kind === "days") return text.everyHints.days
  return kind === "weeks_in_a_row" ? text.everyHints.weeks : text.everyHints.others
}

/** True if a field that is folded away holds something. */
const hasMore = ({ days, description, least, repeats, when, where }: Typed): boolean =>
  repeats ||
  where.places.length + where.channels.length > 0 ||
  [days, description, least, when?.from, when?.until, when?.first, when?.last].some(Boolean) ||
  when === undefined ||
  when.days.length > 0

interface ChallengeDialogProps extends DialogOf<ChallengeEntry> {
  /** The challenge that is edited; absent: a new one. */
  readonly entry?: ChallengeEntry
  /** True if the edited one is for lines with tags, which the dialog does not show. */
  readonly hasTags?: boolean
  readonly currency: string
  readonly zone: string
  readonly rewards: ReadonlyArray<NamedItem>
}

/** A number of what is counted, or an amount that is spent. */
const AmountField = ({ currency, errorOf, put, typed }: TypedFields<Typed, Fault> & { readonly currency: string }) =>
  typed.kind === "spend" ? (
    <TextInput
      label={text.spent(currency)}
      required
      inputMode="decimal"
      value={typed.spent}
      onChange={({ currentTarget }) => put({ spent: currentTarget.value })}
      {...errorOf("spent", typed.spent)}
    />
  ) : (
    <NumberField
      label={text.amount}
      required
      value={typed.amount}
      onChange={(amount) => put({ amount })}
      {...errorOf("amount", typed.amount)}
    />
  )

export const ChallengeDialog = (props: ChallengeDialogProps) => {
  const { currency, entry, hasTags = false, label, name, onSave, rewards, zone } = props
  const digits = digitsOf(currency)
  const { begin, errorOf, faults, put, typed } = useTyped(
    () => typedOf(entry, digits),
    (next) => faultsOf(next, digits, hasTags),
    text.faults
  )
  const [isMore, setMore] = useState(false)
  const choose = (kind: ChallengeKind) => {
    const possible = everysOf(kind)
    put({ kind, every: possible.includes(typed.every) ? typed.every : possible[0] })
  }
  return (
    <DraftDialog
      label={label}
      name={name}
      isReady={faults.length === 0 && whenFaults(typed.when).length === 0}
      begin={() => setMore(hasMore(begin()))}
      onSave={() => onSave(entryOf(typed, digits))}
    >
      {rewards.length === 0 ? <Note>{challengeStrings.needsReward}</Note> : undefined}
      <NameField value={typed.name} onChange={(name) => put({ name })} />
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <NativeSelect
          label={text.counts}
          value={typed.kind}
          data={optionsOf(challengeKinds, text.kinds)}
          onChange={({ currentTarget }) => choose(currentTarget.value as ChallengeKind)}
        />
        <AmountField typed={typed} put={put} errorOf={errorOf} currency={currency} />
        <NativeSelect
          label={text.every}
          description={everyHint(typed.kind)}
          inputWrapperOrder={[...wrapperOrder]}
          value={typed.every ?? ""}
          data={everysOf(typed.kind).map((one) => ({ value: one ?? "", label: text.everys[one ?? "any"] }))}
          onChange={({ currentTarget: { value } }) =>
            put({ every: value === "" ? undefined : (value as ChallengeEvery) })
          }
        />
      </SimpleGrid>
      <OnFields
        value={typed.on}
        error={faults.includes("products") ? text.faults.products : undefined}
        onChange={(on) => put({ on })}
      />
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
      <Folded label={text.more} isOpen={isMore} onToggle={setMore}>
        <Checkbox
          label={text.repeats}
          checked={typed.repeats}
          onChange={({ currentTarget }) => put({ repeats: currentTarget.checked })}
        />
        <WeeklyFields value={typed.when} zone={zone} onChange={(when) => put({ when })} />
        <DateFields value={typed.when} onChange={(when) => put({ when })} />
        <TextInput
          label={text.least(currency)}
          inputMode="decimal"
          value={typed.least}
          onChange={({ currentTarget }) => put({ least: currentTarget.value })}
          {...errorOf("least", typed.least)}
        />
        <NumberField
          label={text.days}
          decimals={5}
          value={typed.days}
          onChange={(days) => put({ days })}
          {...errorOf("days", typed.days)}
        />
        <WhereFields value={typed.where} onChange={(where) => put({ where })} />
        <DescriptionField value={typed.description} onChange={(description) => put({ description })} />
      </Folded>
    </DraftDialog>
  )
}

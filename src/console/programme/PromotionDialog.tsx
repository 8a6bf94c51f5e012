/** A short dialog for one promotion of an edited programme. */
import { Checkbox, NativeSelect, SimpleGrid, TextInput } from "@mantine/core"
import { useState } from "react"
import type { GiftKind } from "../../contract/Promotions.ts"
import { giftKinds } from "../../contract/Promotions.ts"
import { amountOf, amountText } from "../shared/amounts.ts"
import { NumberField } from "../shared/form/NumberField.tsx"
import { digitsOf } from "../shared/format.ts"
import type { DialogOf, TypedFields } from "./DraftDialog.tsx"
import {
  DescriptionField,
  DraftDialog,
  Folded,
  isWhole,
  NameField,
  optionsOf,
  Several,
  thoseThere,
  useTyped
} from "./DraftDialog.tsx"
import type { NamedItem } from "./named.ts"
import { DateFields, OnFields, WeeklyFields, WhereFields } from "./OccasionFields.tsx"
import type { OnEntry, WhenEntry, WhereEntry } from "./occasions.ts"
import { whenFaults } from "./occasions.ts"
import { promotionStrings } from "./promotionStrings.ts"
import type { Every, PromotionEntry } from "./promotions.ts"

const text = promotionStrings.dialog

/** Basis points of a factor of one. */
const wholeBps = 10_000
const mostTimes = 10

/** Typed text, which may be no entry yet. */
interface Typed {
  readonly name: string
  readonly kind: GiftKind
  readonly times: number | string
  readonly points: number | string
  readonly on: OnEntry
  readonly where: WhereEntry
  readonly when: WhenEntry | undefined
  readonly spend: string
  readonly every: Every | ""
  readonly count: number | string
  readonly tiers: ReadonlyArray<string>
  readonly isFirst: boolean
  readonly joinedWithin: number | string
  readonly description: string
}

const blank: Typed = {
  name: "",
  kind: "multiply_bps",
  times: 2,
  points: "",
  on: { products: [], categories: [] },
  where: { places: [], channels: [] },
  when: { days: [], from: "", until: "", first: "", last: "" },
  spend: "",
  every: "",
  count: 1,
  tiers: [],
  isFirst: false,
  joinedWithin: "",
  description: ""
}

const typedOf = (entry: PromotionEntry | undefined, digits: number): Typed => {
  if (entry === undefined) return blank
  const { amount, joinedWithin = "", limit, spend, ...shown } = entry
  const { kind } = shown
  return {
    ...blank,
    ...shown,
    joinedWithin,
    ...(kind === "multiply_bps" ? { times: amount / wholeBps } : { points: amount }),
    spend: spend === undefined ? "" : amountText(spend, digits),
    every: limit?.every ?? "",
    count: limit?.count ?? 1
  }
}

const bpsOf = (times: number | string): number => Math.round(Number(times) * wholeBps)

const entryOf = (typed: Typed, digits: number): PromotionEntry => {
  const { count, every, joinedWithin, kind, name, points, spend, times, ...same } = typed
  return {
    ...same,
    kind,
    name: name.trim(),
    joinedWithin: joinedWithin === "" ? undefined : Number(joinedWithin),
    amount: kind === "multiply_bps" ? bpsOf(times) : Number(points),
    spend: spend === "" ? undefined : amountOf(spend, digits),
    limit: every === "" ? undefined : { count: Number(count), every }
  }
}

/** `mayBeForAll`: it is for tagged lines, which the dialog does not show, or was for each item of all before. */
type Fault = keyof typeof text.faults

const faultsOf = (typed: Typed, digits: number, mayBeForAll: boolean) => {
  const { count, every, joinedWithin, kind, name, on, points, spend, times } = typed
  const isMultiple = kind === "multiply_bps"
  const isForAll = on.products.length === 0 && on.categories.length === 0 && !mayBeForAll
  return thoseThere<Fault>([
    ["name", name.trim() === ""],
    ["times", isMultiple && (bpsOf(times) <= wholeBps || bpsOf(times) > mostTimes * wholeBps)],
    ["points", !isMultiple && !isWhole(points)],
    ["products", kind === "add_per_item" && isForAll],
    ["spend", spend !== "" && amountOf(spend, digits) === undefined],
    ["count", every !== "" && !isWhole(count)],
    ["joined", joinedWithin !== "" && !isWhole(joinedWithin)]
  ])
}

/** Which of the fields that are folded away hold something. */
const hasMore = ({ description, every, isFirst, joinedWithin, spend, tiers, when, where }: Typed): boolean =>
  isFirst ||
  [description, every, joinedWithin, spend].some((value) => value !== "") ||
  [tiers, where.places, where.channels].some((list) => list.length > 0) ||
  (when !== undefined && (when.first !== "" || when.last !== ""))

interface PromotionDialogProps extends DialogOf<PromotionEntry> {
  /** The promotion that is edited; absent: a new one. */
  readonly entry?: PromotionEntry
  /** True if the edited one is for lines with tags, which the dialog does not show. */
  readonly hasTags?: boolean
  readonly currency: string
  readonly zone: string
  /** The programme's tiers. */
  readonly tiers: ReadonlyArray<NamedItem>
}

/** How many times the points, or how many points more. */
const AmountField = ({ errorOf, put, typed }: TypedFields<Typed, Fault>) =>
  typed.kind === "multiply_bps" ? (
    <NumberField
      key="times"
      label={text.amounts.multiply_bps}
      required
      decimals={4}
      value={typed.times}
      onChange={(times) => put({ times })}
      {...errorOf("times", typed.times)}
    />
  ) : (
    <NumberField
      key="points"
      label={text.amounts[typed.kind]}
      required
      value={typed.points}
      onChange={(points) => put({ points })}
      {...errorOf("points", typed.points)}
    />
  )

export const PromotionDialog = (props: PromotionDialogProps) => {
  const { currency, entry, hasTags = false, label, name, onSave, tiers, zone } = props
  const digits = digitsOf(currency)
  const wasForAll = entry?.kind === "add_per_item" && entry.on.products.length + entry.on.categories.length === 0
  const { begin, errorOf, faults, put, typed } = useTyped(
    () => typedOf(entry, digits),
    (next) => faultsOf(next, digits, hasTags || wasForAll),
    text.faults
  )
  const [isMore, setMore] = useState(false)
  return (
    <DraftDialog
      label={label}
      name={name}
      isReady={faults.length === 0 && whenFaults(typed.when).length === 0}
      begin={() => setMore(hasMore(begin()))}
      onSave={() => onSave(entryOf(typed, digits))}
    >
      <NameField value={typed.name} onChange={(name) => put({ name })} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <NativeSelect
          label={text.gets}
          value={typed.kind}
          data={optionsOf(giftKinds, text.kinds)}
          onChange={({ currentTarget }) => put({ kind: currentTarget.value as GiftKind })}
        />
        <AmountField typed={typed} put={put} errorOf={errorOf} />
      </SimpleGrid>
      <OnFields
        value={typed.on}
        error={faults.includes("products") ? text.faults.products : undefined}
        onChange={(on) => put({ on })}
      />
      <WeeklyFields value={typed.when} zone={zone} onChange={(when) => put({ when })} />
      <Folded label={text.more} isOpen={isMore} onToggle={setMore}>
        <DateFields value={typed.when} onChange={(when) => put({ when })} />
        <TextInput
          label={text.spend(currency)}
          inputMode="decimal"
          value={typed.spend}
          onChange={({ currentTarget }) => put({ spend: currentTarget.value })}
          {...errorOf("spend", typed.spend)}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <NativeSelect
            label={text.every}
            value={typed.every}
            data={[
              { value: "", label: text.everyNone },
              ...Object.entries(text.everys).map(([value, label]) => ({ value, label }))
            ]}
            onChange={({ currentTarget }) => put({ every: currentTarget.value as Typed["every"] })}
          />
          {typed.every === "" ? undefined : (
            <NumberField
              label={text.count}
              required
              value={typed.count}
              onChange={(count) => put({ count })}
              {...errorOf("count", typed.count)}
            />
          )}
        </SimpleGrid>
        {tiers.length === 0 ? undefined : (
          <Several
            label={text.tiers}
            description={text.tiersHint}
            options={tiers.map((tier) => ({ value: tier.id, label: tier.name }))}
            value={typed.tiers}
            onChange={(tiers) => put({ tiers })}
          />
        )}
        <Checkbox
          label={text.isFirst}
          checked={typed.isFirst}
          onChange={({ currentTarget }) => put({ isFirst: currentTarget.checked })}
        />
        <NumberField
          label={text.joined}
          description={text.joinedHint}
          value={typed.joinedWithin}
          onChange={(joinedWithin) => put({ joinedWithin })}
          {...errorOf("joined", typed.joinedWithin)}
        />
        <WhereFields value={typed.where} onChange={(where) => put({ where })} />
        <DescriptionField value={typed.description} onChange={(description) => put({ description })} />
      </Folded>
    </DraftDialog>
  )
}

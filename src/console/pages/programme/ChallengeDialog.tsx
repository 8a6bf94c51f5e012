/** A short dialog for one challenge of an edited programme. */
import { Checkbox, NativeSelect, NumberInput, SimpleGrid, Stack, TextInput } from "@mantine/core"
import { useState } from "react"
import type { ChallengeKind } from "../../../contract/Challenges.ts"
import { challengeKinds } from "../../../contract/Challenges.ts"
import { amountOf, amountText } from "../../app/amounts.ts"
import { cardStrings } from "../../app/cardStrings.ts"
import type { ChallengeEntry, ChallengeEvery } from "../../app/challenges.ts"
import { everysOf } from "../../app/challenges.ts"
import { challengeStrings } from "../../app/challengeStrings.ts"
import { digitsOf } from "../../app/format.ts"
import { whenFaults } from "../../app/occasions.ts"
import { ChangeDialog } from "../../ui/ChangeDialog.tsx"
import { Note } from "../../ui/Note.tsx"
import { DateFields, OnFields, WeeklyFields } from "./OccasionFields.tsx"

const text = challengeStrings.dialog

/** What is typed, which may be no entry yet. */
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

const isWhole = (value: number | string): boolean =>
  value !== "" && Number.isSafeInteger(Number(value)) && Number(value) >= 1

type Fault = keyof typeof text.faults

const faultsOf = (typed: Typed, digits: number, hasTags: boolean): ReadonlyArray<Fault> => {
  const { amount, days, kind, least, name, on, reward, spent } = typed
  const isForAll = on.products.length === 0 && on.categories.length === 0 && !hasTags
  const checks: ReadonlyArray<readonly [Fault, boolean]> = [
    ["name", name.trim() === ""],
    ["amount", kind !== "spend" && !isWhole(amount)],
    ["spent", kind === "spend" && (amountOf(spent, digits) ?? 0) === 0],
    ["products", kind === "items" && isForAll],
    ["reward", reward === ""],
    ["least", least !== "" && amountOf(least, digits) === undefined],
    ["days", days !== "" && !(Number(days) > 0)]
  ]
  return checks.flatMap(([fault, isThere]) => (isThere ? [fault] : []))
}

/** True if a field that is folded away holds something. */
const hasMore = ({ days, description, least, repeats, when }: Typed): boolean =>
  repeats ||
  [days, description, least, when?.from, when?.until, when?.first, when?.last].some(Boolean) ||
  when === undefined ||
  when.days.length > 0

export interface NamedReward {
  readonly id: string
  readonly name: string
}

export const ChallengeDialog = (props: {
  readonly label: string
  readonly name?: string
  /** The challenge that is edited; absent: a new one. */
  readonly entry?: ChallengeEntry
  /** True if the edited one is for lines with tags, which the dialog does not show. */
  readonly hasTags?: boolean
  readonly currency: string
  readonly zone: string
  readonly rewards: ReadonlyArray<NamedReward>
  readonly onSave: (entry: ChallengeEntry) => void
}) => {
  const { currency, entry, hasTags = false, label, name, onSave, rewards, zone } = props
  const digits = digitsOf(currency)
  const [typed, setTyped] = useState(() => typedOf(entry, digits))
  const [isMore, setMore] = useState(false)
  const faults = faultsOf(typed, digits, hasTags)
  const put = (more: Partial<Typed>) => setTyped((before) => ({ ...before, ...more }))
  const choose = (kind: ChallengeKind) => {
    const possible = everysOf(kind)
    put({ kind, every: possible.includes(typed.every) ? typed.every : possible[0] })
  }
  /** An empty field is no fault to tell of. It only keeps the button closed. */
  const errorOf = (fault: Fault, value: number | string) =>
    value !== "" && faults.includes(fault) ? { error: text.faults[fault] } : {}
  return (
    <ChangeDialog
      label={label}
      {...(name === undefined ? {} : { name })}
      submit={cardStrings.save}
      told={cardStrings.drafted}
      isReady={faults.length === 0 && whenFaults(typed.when).length === 0}
      begin={() => {
        const next = typedOf(entry, digits)
        setTyped(next)
        setMore(hasMore(next))
      }}
      run={async () => onSave(entryOf(typed, digits))}
    >
      <Stack gap="sm">
        {rewards.length === 0 ? <Note>{challengeStrings.needsReward}</Note> : undefined}
        <TextInput
          label={text.name}
          description={text.nameHint}
          required
          value={typed.name}
          onChange={({ currentTarget }) => put({ name: currentTarget.value })}
        />
        <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
          <NativeSelect
            label={text.counts}
            value={typed.kind}
            data={challengeKinds.map((value) => ({ value, label: text.kinds[value] }))}
            onChange={({ currentTarget }) => choose(currentTarget.value as ChallengeKind)}
          />
          {typed.kind === "spend" ? (
            <TextInput
              label={text.spent(currency)}
              required
              inputMode="decimal"
              value={typed.spent}
              onChange={({ currentTarget }) => put({ spent: currentTarget.value })}
              {...errorOf("spent", typed.spent)}
            />
          ) : (
            <NumberInput
              label={text.amount}
              required
              allowDecimal={false}
              value={typed.amount}
              onChange={(amount) => put({ amount })}
              {...errorOf("amount", typed.amount)}
            />
          )}
          <NativeSelect
            label={text.every}
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
        <details open={isMore} onToggle={({ currentTarget }) => setMore(currentTarget.open)}>
          <summary>{text.more}</summary>
          <Stack gap="sm" mt="sm">
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
            <NumberInput
              label={text.days}
              value={typed.days}
              onChange={(days) => put({ days })}
              {...errorOf("days", typed.days)}
            />
            <TextInput
              label={text.description}
              value={typed.description}
              onChange={({ currentTarget }) => put({ description: currentTarget.value })}
            />
          </Stack>
        </details>
        <Note>{cardStrings.draftHint}</Note>
      </Stack>
    </ChangeDialog>
  )
}

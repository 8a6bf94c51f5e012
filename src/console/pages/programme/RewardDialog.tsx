/** A short dialog for one reward of an edited programme. */
import { NativeSelect, NumberInput, Stack, TagsInput, TextInput } from "@mantine/core"
import { useState } from "react"
import { amountOf, amountText } from "../../app/amounts.ts"
import { cardStrings } from "../../app/cardStrings.ts"
import { digitsOf } from "../../app/format.ts"
import type { EntryEffect, RewardEntry } from "../../app/rewards.ts"
import { rewardStrings as text } from "../../app/rewardStrings.ts"
import { ChangeDialog } from "../../ui/ChangeDialog.tsx"
import { Note } from "../../ui/Note.tsx"

type Kind = EntryEffect["type"]

/** What is typed, which may be no entry yet. */
interface Typed {
  readonly name: string
  readonly cost: number | string
  readonly kind: Kind | undefined
  readonly amount: string
  readonly quantity: number | string
  readonly worth: string
  readonly categories: ReadonlyArray<string>
  readonly products: ReadonlyArray<string>
  readonly description: string
  readonly picture: string
}

const typedOf = (entry: RewardEntry | undefined, digits: number): Typed => {
  const effect = entry === undefined ? { type: "discount" as const, amount: undefined } : entry.effect
  const items = effect?.type === "free_item" ? effect : undefined
  const amount = effect?.type === "discount" ? effect.amount : undefined
  return {
    name: entry?.name ?? "",
    cost: entry?.cost ?? "",
    kind: effect?.type,
    amount: amount === undefined ? "" : amountText(amount, digits),
    quantity: items?.quantity ?? 1,
    worth: items === undefined ? "" : amountText(items.worth, digits),
    categories: items?.categories ?? [],
    products: items?.products ?? [],
    description: entry?.description ?? "",
    picture: entry?.picture ?? ""
  }
}

const isWhole = (value: number | string, least: number): boolean =>
  value !== "" && Number.isSafeInteger(Number(value)) && Number(value) >= least

const isPicture = (address: string): boolean => URL.canParse(address) && new URL(address).protocol === "https:"

const effectOf = (typed: Typed, digits: number): EntryEffect | undefined => {
  if (typed.kind === undefined) return undefined
  if (typed.kind === "discount") return { type: "discount", amount: amountOf(typed.amount, digits) ?? 0 }
  const { categories, products, quantity } = typed
  const worth = amountOf(typed.worth, digits) ?? 0
  return { type: "free_item", quantity: Number(quantity), worth, categories, products }
}

const entryOf = (typed: Typed, digits: number): RewardEntry => ({
  name: typed.name.trim(),
  cost: Number(typed.cost),
  effect: effectOf(typed, digits),
  description: typed.description,
  picture: typed.picture
})

type Fault = keyof typeof text.faults

const faultsOf = (typed: Typed, digits: number): ReadonlyArray<Fault> => {
  const isFree = typed.kind === "free_item"
  const money = isFree ? typed.worth : typed.amount
  const checks: ReadonlyArray<readonly [Fault, boolean]> = [
    ["name", typed.name.trim() === ""],
    ["points", !isWhole(typed.cost, 0)],
    ["amount", typed.kind !== undefined && amountOf(money, digits) === undefined],
    ["quantity", isFree && !isWhole(typed.quantity, 1)],
    ["picture", typed.picture !== "" && !isPicture(typed.picture)]
  ]
  return checks.flatMap(([fault, isThere]) => (isThere ? [fault] : []))
}

export const RewardDialog = (props: {
  readonly label: string
  readonly name?: string
  /** The reward that is edited; absent: a new one. */
  readonly entry?: RewardEntry
  readonly unit: string
  readonly currency: string
  /** Who pays for a new one. */
  readonly payer?: string
  readonly onSave: (entry: RewardEntry) => void
}) => {
  const { currency, entry, label, name, onSave, payer, unit } = props
  const digits = digitsOf(currency)
  const [typed, setTyped] = useState(() => typedOf(entry, digits))
  const faults = faultsOf(typed, digits)
  const put = (more: Partial<Typed>) => setTyped((before) => ({ ...before, ...more }))
  /** An empty field is no fault to tell of. It only keeps the button closed. */
  const errorOf = (fault: Fault, value: number | string) =>
    value !== "" && faults.includes(fault) ? { error: text.faults[fault] } : {}
  return (
    <ChangeDialog
      label={label}
      {...(name === undefined ? {} : { name })}
      submit={cardStrings.save}
      told={cardStrings.drafted}
      isReady={faults.length === 0}
      begin={() => setTyped(typedOf(entry, digits))}
      run={async () => onSave(entryOf(typed, digits))}
    >
      <Stack gap="sm">
        <TextInput
          label={text.name}
          description={text.nameHint}
          required
          value={typed.name}
          onChange={({ currentTarget }) => put({ name: currentTarget.value })}
        />
        <NumberInput
          label={text.points(unit)}
          required
          min={0}
          allowDecimal={false}
          value={typed.cost}
          onChange={(cost) => put({ cost })}
          {...errorOf("points", typed.cost)}
        />
        {typed.kind === undefined ? (
          <Note>{text.exotic}</Note>
        ) : (
          <NativeSelect
            label={text.gets}
            value={typed.kind}
            data={Object.entries(text.kinds).map(([value, label]) => ({ value, label }))}
            onChange={({ currentTarget }) => put({ kind: currentTarget.value as Kind })}
          />
        )}
        {typed.kind === "discount" ? (
          <TextInput
            label={text.amount(currency)}
            required
            inputMode="decimal"
            value={typed.amount}
            onChange={({ currentTarget }) => put({ amount: currentTarget.value })}
            {...errorOf("amount", typed.amount)}
          />
        ) : undefined}
        {typed.kind === "free_item" ? (
          <>
            <NumberInput
              label={text.quantity}
              required
              min={1}
              allowDecimal={false}
              value={typed.quantity}
              onChange={(quantity) => put({ quantity })}
              {...errorOf("quantity", typed.quantity)}
            />
            <TextInput
              label={text.worth(currency)}
              required
              inputMode="decimal"
              value={typed.worth}
              onChange={({ currentTarget }) => put({ worth: currentTarget.value })}
              {...errorOf("amount", typed.worth)}
            />
            {(["categories", "products"] as const).map((of) => (
              <TagsInput
                key={of}
                label={text[of]}
                description={text.idsHint[of]}
                value={[...typed[of]]}
                onChange={(ids) => put({ [of]: ids })}
              />
            ))}
          </>
        ) : undefined}
        <TextInput
          label={text.description}
          value={typed.description}
          onChange={({ currentTarget }) => put({ description: currentTarget.value })}
        />
        <TextInput
          label={text.picture}
          inputMode="url"
          value={typed.picture}
          onChange={({ currentTarget }) => put({ picture: currentTarget.value })}
          {...errorOf("picture", typed.picture)}
        />
        <Note>{[...(payer === undefined ? [] : [text.paidBy(payer)]), cardStrings.draftHint].join(" ")}</Note>
      </Stack>
    </ChangeDialog>
  )
}

/** A short dialog for one reward of an edited programme. */
import { NativeSelect, TextInput } from "@mantine/core"
import { amountOf, amountText } from "../shared/amounts.ts"
import { SoldInput } from "../shared/choosers/SoldInput.tsx"
import { NumberField } from "../shared/form/NumberField.tsx"
import { digitsOf } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import type { DialogOf } from "./DraftDialog.tsx"
import { DescriptionField, DraftDialog, isWhole, NameField, thoseThere, useTyped } from "./DraftDialog.tsx"
import { rewardStrings as text } from "./rewardStrings.ts"
import type { EntryEffect, RewardEntry } from "./rewards.ts"

type Kind = EntryEffect["type"]

/** Typed text, which may be no entry yet. */
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

const faultsOf = (typed: Typed, digits: number) => {
  const isFree = typed.kind === "free_item"
  const money = isFree ? typed.worth : typed.amount
  return thoseThere<keyof typeof text.faults>([
    ["name", typed.name.trim() === ""],
    ["points", !isWhole(typed.cost, 0)],
    ["amount", typed.kind !== undefined && amountOf(money, digits) === undefined],
    ["quantity", isFree && !isWhole(typed.quantity)],
    ["picture", typed.picture !== "" && !isPicture(typed.picture)]
  ])
}

interface RewardDialogProps extends DialogOf<RewardEntry> {
  /** The reward that is edited; absent: a new one. */
  readonly entry?: RewardEntry
  readonly unit: string
  readonly currency: string
  /** Funding of a new one. */
  readonly payer?: string
}

export const RewardDialog = (props: RewardDialogProps) => {
  const { currency, entry, label, name, onSave, payer, unit } = props
  const digits = digitsOf(currency)
  const { begin, errorOf, faults, put, typed } = useTyped(
    () => typedOf(entry, digits),
    (next) => faultsOf(next, digits),
    text.faults
  )
  return (
    <DraftDialog
      label={label}
      name={name}
      isReady={faults.length === 0}
      begin={begin}
      onSave={() => onSave(entryOf(typed, digits))}
      note={payer === undefined ? undefined : text.paidBy(payer)}
    >
      <NameField value={typed.name} onChange={(name) => put({ name })} />
      <NumberField
        label={text.points(unit)}
        required
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
          <NumberField
            label={text.quantity}
            required
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
            <SoldInput
              key={of}
              of={of}
              label={text[of]}
              description={text.idsHint[of]}
              value={typed[of]}
              onChange={(ids) => put({ [of]: ids })}
            />
          ))}
        </>
      ) : undefined}
      <DescriptionField value={typed.description} onChange={(description) => put({ description })} />
      <TextInput
        label={text.picture}
        inputMode="url"
        value={typed.picture}
        onChange={({ currentTarget }) => put({ picture: currentTarget.value })}
        {...errorOf("picture", typed.picture)}
      />
    </DraftDialog>
  )
}

/** The accounts of an edited programme: cards, a short dialog for each, and the forms. */
import { NativeSelect, TextInput } from "@mantine/core"
import type { ProgramAccount } from "../../contract/protocol/Program.ts"
import { Unit } from "../../contract/Values.ts"
import { NumberField } from "../shared/form/NumberField.tsx"
import { Note } from "../shared/Note.tsx"
import { labelOf } from "../shared/words/words.ts"
import type { CardContent, Section } from "./Cards.tsx"
import { CardLines, Cards, useCards } from "./Cards.tsx"
import { cardStrings } from "./cardStrings.ts"
import type { DialogOf } from "./DraftDialog.tsx"
import { DraftDialog, isWhole, thoseThere, useTyped } from "./DraftDialog.tsx"
import { isRules, rateInWords, unitOf } from "./earningWords.ts"
import type { AccountEntry } from "./general.ts"
import { accountEntryOf, withAccountEntry, withPerOrder } from "./general.ts"
import { generalStrings } from "./generalStrings.ts"
import { isAccount, unitName } from "./units.ts"

const text = generalStrings.accounts

/** Typed text, which may be no entry yet. */
interface Typed extends Omit<AccountEntry, "perOrder"> {
  readonly perOrder: number | string | undefined
}

const faultsOf = ({ perOrder }: Typed) =>
  thoseThere<keyof typeof text.faults>([["perOrder", perOrder !== undefined && !isWhole(perOrder, 0)]])

interface AccountDialogProps extends DialogOf<AccountEntry> {
  readonly entry: AccountEntry
  /** Units that a new account may have; undefined: the account is there. */
  readonly units?: ReadonlyArray<Unit>
}

const AccountDialog = ({ entry, label, name, onSave, units }: AccountDialogProps) => {
  const { begin, errorOf, faults, put, typed } = useTyped((): Typed => entry, faultsOf, text.faults)
  const save = ({ perOrder, ...same }: Typed) =>
    onSave({ ...same, name: same.name.trim(), perOrder: perOrder === undefined ? undefined : Number(perOrder) })
  return (
    <DraftDialog
      label={label}
      name={name}
      isReady={faults.length === 0}
      begin={begin}
      onSave={() => save(typed)}
      note={typed.perOrder === undefined ? text.earnedByRule : undefined}
    >
      {units === undefined ? undefined : (
        <NativeSelect
          label={text.unit}
          value={typed.unit}
          data={units.map((unit) => ({ value: unit, label: labelOf(unit) }))}
          onChange={({ currentTarget }) => put({ unit: currentTarget.value as Unit })}
        />
      )}
      <TextInput
        label={text.name}
        description={text.nameHint(labelOf(typed.unit))}
        value={typed.name}
        onChange={({ currentTarget }) => put({ name: currentTarget.value })}
      />
      {typed.perOrder === undefined ? undefined : (
        <NumberField
          label={text.perOrder}
          description={text.perOrderHint}
          required
          value={typed.perOrder}
          onChange={(perOrder) => put({ perOrder })}
          {...errorOf("perOrder", typed.perOrder)}
        />
      )}
    </DraftDialog>
  )
}

export const Accounts = ({ section }: { readonly section: Section }) => {
  const { draft } = section
  const { changes, put } = useCards(section)
  const drafted = draft["accounts"]
  const accounts: ReadonlyArray<unknown> = Array.isArray(drafted) ? drafted : []
  const rules = isRules(draft["account_earning"]) ? (draft["account_earning"] ?? []) : []
  const taken = new Set(accounts.filter(isAccount).map(({ unit }) => unit))
  const free = Unit.literals.filter((unit) => !taken.has(unit))
  const [next] = free
  /** The rules change with an account alone where the draft has any, or gets one. */
  const putAll = (changed: ReadonlyArray<unknown>, entry: AccountEntry) => {
    const earning = withPerOrder(rules, entry)
    put({ accounts: changed, ...(earning === rules ? {} : { account_earning: earning }) })
  }
  const add = (entry: AccountEntry) => {
    const blank: ProgramAccount = { unit: entry.unit, is_primary: accounts.length === 0 }
    putAll([...accounts, withAccountEntry(blank, entry)], entry)
  }
  const cardOf = (one: unknown, place: number): CardContent => {
    if (!isAccount(one)) return { name: text.unnamed(place + 1) }
    const name = unitName(one)
    const rule = rules.find(({ unit }) => unit === one.unit)
    return {
      name,
      body: (
        <CardLines
          first={one.is_primary ? text.primary : text.other}
          lines={[
            ...(name.toLowerCase() === unitOf(one.unit).toLowerCase() ? [] : [text.kind(unitOf(one.unit))]),
            ...(one.is_primary ? [] : [rule === undefined ? text.earnsNothing : rateInWords(rule)])
          ]}
        />
      ),
      actions: (
        <AccountDialog
          label={cardStrings.edit}
          name={cardStrings.editOf(name)}
          entry={accountEntryOf(one, rules)}
          onSave={(entry) => putAll(accounts.with(place, withAccountEntry(one, entry)), entry)}
        />
      )
    }
  }
  return (
    <Cards
      text={text}
      section={section}
      changes={changes}
      items={accounts}
      cardOf={cardOf}
      onChange={(left) => put({ accounts: left })}
      add={
        next === undefined ? (
          <Note>{text.full}</Note>
        ) : (
          <AccountDialog label={text.add} units={free} entry={{ unit: next, name: "", perOrder: 0 }} onSave={add} />
        )
      }
    />
  )
}

/** A short dialog for how an edited programme earns. */
import { Chip, Group, Input, NumberInput, SimpleGrid, Stack, TagsInput, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { Channel, LineKind } from "../../../contract/Values.ts"
import { amountOf, amountText } from "../../app/amounts.ts"
import { cardStrings } from "../../app/cardStrings.ts"
import type { EarningEntry } from "../../app/earning.ts"
import { earningStrings } from "../../app/earningStrings.ts"
import { digitsOf } from "../../app/format.ts"
import { labelOf } from "../../app/words.ts"
import { ChangeDialog } from "../../ui/ChangeDialog.tsx"
import { Note } from "../../ui/Note.tsx"

const text = earningStrings.dialog

/** What is typed, which may be no entry yet. */
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

type Fault = keyof typeof text.faults

const faultsOf = ({ channels, least, points, spend }: Typed, digits: number): ReadonlyArray<Fault> => {
  const checks: ReadonlyArray<readonly [Fault, boolean]> = [
    ["points", points === "" || !Number.isSafeInteger(Number(points)) || Number(points) < 0],
    ["spend", (amountOf(spend, digits) ?? 0) === 0],
    ["least", amountOf(least, digits) === undefined],
    ["channels", channels.length === 0]
  ]
  return checks.flatMap(([fault, isThere]) => (isThere ? [fault] : []))
}

/** Several of a few. */
const Several = <A extends string>(props: {
  readonly label: string
  readonly options: ReadonlyArray<A>
  readonly value: ReadonlyArray<A>
  readonly error?: string | undefined
  readonly onChange: (value: ReadonlyArray<A>) => void
}) => {
  const { error, label, onChange, options, value } = props
  return (
    <Input.Wrapper label={label} labelElement="div" {...(error === undefined ? {} : { error })}>
      <Chip.Group multiple value={[...value]} onChange={(chosen) => onChange(chosen as Array<A>)}>
        <Group gap={6} mt={6} role="group" aria-label={label}>
          {options.map((one) => (
            <Chip key={one} value={one} size="xs" variant="outline">
              {labelOf(one)}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Input.Wrapper>
  )
}

export const EarningDialog = (props: {
  readonly label: string
  readonly entry: EarningEntry
  /** The primary account's unit in words. */
  readonly unit: string
  /** True if each order earns the same on the primary account. */
  readonly isFixed: boolean
  readonly currency: string
  readonly onSave: (entry: EarningEntry) => void
}) => {
  const { currency, entry, isFixed, label, onSave, unit } = props
  const digits = digitsOf(currency)
  const [typed, setTyped] = useState(() => typedOf(entry, digits))
  const faults = faultsOf(typed, digits)
  const put = (more: Partial<Typed>) => setTyped((before) => ({ ...before, ...more }))
  const errorOf = (fault: Fault) => (faults.includes(fault) ? { error: text.faults[fault] } : {})
  return (
    <ChangeDialog
      label={label}
      submit={cardStrings.save}
      told={cardStrings.drafted}
      isReady={faults.length === 0}
      begin={() => setTyped(typedOf(entry, digits))}
      run={async () => onSave(entryOf(typed, digits))}
    >
      <Stack gap="sm">
        {isFixed ? (
          <Note>{text.fixed}</Note>
        ) : (
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <NumberInput
              label={text.points(unit)}
              required
              allowDecimal={false}
              value={typed.points}
              onChange={(points) => put({ points })}
              {...errorOf("points")}
            />
            <TextInput
              label={text.spend(currency)}
              required
              inputMode="decimal"
              value={typed.spend}
              onChange={({ currentTarget }) => put({ spend: currentTarget.value })}
              {...errorOf("spend")}
            />
          </SimpleGrid>
        )}
        <TextInput
          label={text.least(currency)}
          required
          inputMode="decimal"
          value={typed.least}
          onChange={({ currentTarget }) => put({ least: currentTarget.value })}
          {...errorOf("least")}
        />
        <Several
          label={text.channels}
          options={Channel.literals}
          value={typed.channels}
          error={faults.includes("channels") ? text.faults.channels : undefined}
          onChange={(channels) => put({ channels })}
        />
        <Text fw={600}>{text.exclusions}</Text>
        {(["products", "categories", "tags"] as const).map((of) => (
          <TagsInput
            key={of}
            label={text[of]}
            description={text.idsHint}
            value={[...typed[of]]}
            onChange={(ids) => put({ [of]: ids })}
          />
        ))}
        <Several
          label={text.kinds}
          options={LineKind.literals}
          value={typed.lineKinds}
          onChange={(lineKinds) => put({ lineKinds })}
        />
        <Note>{cardStrings.draftHint}</Note>
      </Stack>
    </ChangeDialog>
  )
}

/** A short dialog for one tier of an edited programme. */
import { NumberInput, SimpleGrid, Stack, TagsInput, TextInput } from "@mantine/core"
import { useState } from "react"
import { cardStrings } from "../../app/cardStrings.ts"
import type { TierEntry } from "../../app/tiers.ts"
import { tierStrings } from "../../app/tierStrings.ts"
import { ChangeDialog } from "../../ui/ChangeDialog.tsx"
import { Note } from "../../ui/Note.tsx"

const text = tierStrings.dialog

/** Basis points of a factor of one. */
const wholeBps = 10_000

/** What is typed, which may be no entry yet. */
interface Typed {
  readonly name: string
  readonly minimum: number | string
  readonly times: number | string
  readonly benefits: ReadonlyArray<string>
}

const typedOf = (entry: TierEntry | undefined, isFirst: boolean): Typed =>
  entry === undefined
    ? { name: "", minimum: isFirst ? 0 : "", times: 1, benefits: [] }
    : { ...entry, times: entry.multiplierBps / wholeBps }

const entryOf = ({ benefits, minimum, name, times }: Typed): TierEntry => ({
  name: name.trim(),
  minimum: Number(minimum),
  multiplierBps: Math.round(Number(times) * wholeBps),
  benefits
})

type Fault = keyof typeof text.faults

const faultsOf = ({ minimum, name, times }: Typed): ReadonlyArray<Fault> => {
  const checks: ReadonlyArray<readonly [Fault, boolean]> = [
    ["name", name.trim() === ""],
    ["minimum", minimum === "" || !Number.isSafeInteger(Number(minimum)) || Number(minimum) < 0],
    ["times", times === "" || !(Number(times) >= 0)]
  ]
  return checks.flatMap(([fault, isThere]) => (isThere ? [fault] : []))
}

export const TierDialog = (props: {
  readonly label: string
  readonly name?: string
  /** The tier that is edited; absent: a new one. */
  readonly entry?: TierEntry
  /** True if there is no tier yet. */
  readonly isFirst?: boolean
  /** The name of the figure that decides. */
  readonly metric: string
  readonly onSave: (entry: TierEntry) => void
}) => {
  const { entry, isFirst = false, label, metric, name, onSave } = props
  const [typed, setTyped] = useState(() => typedOf(entry, isFirst))
  const faults = faultsOf(typed)
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
      begin={() => setTyped(typedOf(entry, isFirst))}
      run={async () => onSave(entryOf(typed))}
    >
      <Stack gap="sm">
        <TextInput
          label={text.name}
          description={text.nameHint}
          required
          value={typed.name}
          onChange={({ currentTarget }) => put({ name: currentTarget.value })}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <NumberInput
            label={text.minimum(metric)}
            description={text.minimumHint}
            required
            allowDecimal={false}
            value={typed.minimum}
            onChange={(minimum) => put({ minimum })}
            {...errorOf("minimum", typed.minimum)}
          />
          <NumberInput
            label={text.times}
            description={text.timesHint}
            required
            decimalScale={4}
            value={typed.times}
            onChange={(times) => put({ times })}
            {...errorOf("times", typed.times)}
          />
        </SimpleGrid>
        <TagsInput
          label={text.benefits}
          description={text.benefitsHint}
          value={[...typed.benefits]}
          onChange={(benefits) => put({ benefits })}
        />
        <Note>{cardStrings.draftHint}</Note>
      </Stack>
    </ChangeDialog>
  )
}

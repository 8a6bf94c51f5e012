/** A short dialog for one tier of an edited programme. */
import { SimpleGrid, TagsInput } from "@mantine/core"
import { NumberField } from "../shared/form/NumberField.tsx"
import type { DialogOf } from "./DraftDialog.tsx"
import { DraftDialog, isWhole, NameField, thoseThere, useTyped } from "./DraftDialog.tsx"
import { tierStrings } from "./tierStrings.ts"
import type { TierEntry } from "./tiers.ts"

const text = tierStrings.dialog

/** Basis points of a factor of one. */
const wholeBps = 10_000

/** Typed text, which may be no entry yet. */
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

const faultsOf = ({ minimum, name, times }: Typed) =>
  thoseThere<keyof typeof text.faults>([
    ["name", name.trim() === ""],
    ["minimum", !isWhole(minimum, 0)],
    ["times", times === "" || !(Number(times) >= 0)]
  ])

interface TierDialogProps extends DialogOf<TierEntry> {
  /** The tier that is edited; absent: a new one. */
  readonly entry?: TierEntry
  /** True if there is no tier yet. */
  readonly isFirst?: boolean
  /** The name of the figure that decides. */
  readonly metric: string
}

export const TierDialog = (props: TierDialogProps) => {
  const { entry, isFirst = false, label, metric, name, onSave } = props
  const { begin, errorOf, faults, put, typed } = useTyped(() => typedOf(entry, isFirst), faultsOf, text.faults)
  return (
    <DraftDialog
      label={label}
      name={name}
      isReady={faults.length === 0}
      begin={begin}
      onSave={() => onSave(entryOf(typed))}
    >
      <NameField value={typed.name} onChange={(name) => put({ name })} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <NumberField
          label={text.minimum(metric)}
          description={text.minimumHint}
          required
          value={typed.minimum}
          onChange={(minimum) => put({ minimum })}
          {...errorOf("minimum", typed.minimum)}
        />
        <NumberField
          label={text.times}
          description={text.timesHint}
          required
          decimals={4}
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
    </DraftDialog>
  )
}

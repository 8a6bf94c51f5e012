/** The rows of a connector's form that say which balances' crossings it is told. */
import { Button, Fieldset, Group, NativeSelect, Stack } from "@mantine/core"
import { maxThresholds } from "../../contract/platform/Connectors.ts"
import type { Unit } from "../../contract/Values.ts"
import { NumberField } from "../shared/form/NumberField.tsx"
import { Note } from "../shared/Note.tsx"
import { faultAt } from "../shared/States.tsx"
import { connectorStrings } from "./connectorStrings.ts"

const text = connectorStrings

export interface ThresholdRow {
  /** Tells rows apart while they change. */
  readonly key: string
  readonly unit: Unit
  readonly amount: number | string
}

export const newRow = (unit: Unit = "points", amount: number | string = ""): ThresholdRow => ({
  key: crypto.randomUUID(),
  unit,
  amount
})

const place = "/configuration/thresholds"

interface Props {
  readonly rows: ReadonlyArray<ThresholdRow>
  readonly set: (rows: ReadonlyArray<ThresholdRow>) => void
  readonly error: unknown
}

export const Thresholds = ({ error, rows, set }: Props) => (
  <Fieldset legend={text.thresholds} variant="unstyled">
    <Note size="sm">{text.thresholdsHint}</Note>
    <Stack gap="xs" my="xs">
      {rows.map((row, index) => {
        const change = (part: Partial<ThresholdRow>) =>
          set(rows.map((one) => (one.key === row.key ? { ...one, ...part } : one)))
        return (
          <Group key={row.key} align="start" gap="xs">
            <NativeSelect
              aria-label={text.thresholdUnit(index + 1)}
              style={{ flex: "1 1 7rem" }}
              data={Object.entries(text.units).map(([value, label]) => ({ value, label }))}
              value={row.unit}
              onChange={({ currentTarget }) => change({ unit: currentTarget.value as Unit })}
            />
            <NumberField
              aria-label={text.thresholdAmount(index + 1)}
              style={{ flex: "2 1 7rem" }}
              value={row.amount}
              onChange={(amount) => change({ amount })}
              error={faultAt(error, `${place}/${index}/amount`, row.amount)}
            />
            <Button
              variant="subtle"
              aria-label={text.removeThreshold(index + 1)}
              onClick={() => set(rows.filter(({ key }) => key !== row.key))}
            >
              {text.removeRow}
            </Button>
          </Group>
        )
      })}
      {rows.length < maxThresholds ? (
        <Group>
          <Button variant="default" size="xs" onClick={() => set([...rows, newRow()])}>
            {text.addThreshold}
          </Button>
        </Group>
      ) : undefined}
    </Stack>
  </Fieldset>
)

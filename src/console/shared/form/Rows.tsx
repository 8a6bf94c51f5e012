/** Rows of a form: items of a list that stand side by side, and are known by their place alone. */
import { Button, Group, Stack } from "@mantine/core"
import type { ReactNode } from "react"
import { useField } from "./Field.tsx"

export const Rows = (props: {
  readonly at: string
  readonly blank: object
  readonly add: string
  readonly remove: string
  /** Accessible name of the button that removes a row, which is counted from 1. */
  readonly removeOf: (row: number) => string
  readonly most?: number
  readonly children: (at: string, row: number) => ReactNode
}) => {
  const { add, at, blank, children, most = Number.POSITIVE_INFINITY, remove, removeOf } = props
  const { onChange, value } = useField(at)
  const rows: ReadonlyArray<unknown> = Array.isArray(value) ? value : []
  return (
    <Stack gap="xs" my="xs">
      {rows.map((_, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is known by its place alone
        <Group key={place} align="start" gap="xs">
          {children(`${at}/${place}`, place + 1)}
          <Button variant="subtle" aria-label={removeOf(place + 1)} onClick={() => onChange(rows.toSpliced(place, 1))}>
            {remove}
          </Button>
        </Group>
      ))}
      {rows.length < most ? (
        <Group>
          <Button variant="default" size="xs" onClick={() => onChange([...rows, blank])}>
            {add}
          </Button>
        </Group>
      ) : undefined}
    </Stack>
  )
}

/** Archived items, below those in use and hidden at first. */
import { Button, Stack } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import type { ReactNode } from "react"
import { archiveStrings } from "./archiveStrings.ts"

export const Archived = <Row,>(props: {
  readonly rows: ReadonlyArray<Row>
  readonly children: (rows: ReadonlyArray<Row>) => ReactNode
}) => {
  const { children, rows } = props
  const [isShown, { toggle }] = useDisclosure()
  if (rows.length === 0) return undefined
  return (
    <Stack>
      <div>
        <Button variant="default" size="xs" aria-expanded={isShown} onClick={toggle}>
          {archiveStrings.archived(rows.length)}
        </Button>
      </div>
      {isShown ? children(rows) : undefined}
    </Stack>
  )
}

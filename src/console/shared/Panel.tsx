import { Group, Paper, Title } from "@mantine/core"
import type { ReactNode } from "react"

/** A section of a page with a heading and actions. */
export const Panel = (props: {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}) => (
  <Paper withBorder p="md" radius="md" component="section" aria-label={props.title}>
    <Group justify="space-between" mb="sm">
      <Title order={2} size="h4">
        {props.title}
      </Title>
      {props.actions}
    </Group>
    {props.children}
  </Paper>
)

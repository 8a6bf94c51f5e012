/** The figures of the present day that owners look at first. */
import { Group, Paper, SimpleGrid, Text, Title } from "@mantine/core"
import type { ReactNode } from "react"
import type { Overview } from "../../contract/admin/Overview.ts"
import { money, number } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { strings } from "../shared/strings.ts"

const text = strings.today

export const Figure = (props: { readonly label: string; readonly value: string; readonly hint?: string }) => (
  <Paper withBorder p="md" radius="md">
    <Note>{props.label}</Note>
    <Text className="number" size="xl" fw={600}>
      {props.value}
    </Text>
    {props.hint === undefined ? undefined : <Note size="xs">{props.hint}</Note>}
  </Paper>
)

export const DayFigures = (props: { readonly overview: Overview; readonly actions?: ReactNode }) => {
  const {
    actions,
    overview: { today }
  } = props
  return (
    <section aria-label={text.soFar}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {text.soFar}
        </Title>
        {actions}
      </Group>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        <Figure label={text.orders} value={number(today.orders)} />
        <Figure label={text.revenue} value={money(today.eligible_spend)} hint={text.revenueHint} />
        <Figure label={text.issued} value={number(today.issued)} />
        <Figure label={text.redeemed} value={number(today.redeemed)} />
      </SimpleGrid>
    </section>
  )
}

/** Names with their values, one below the other. */
import { Group, Stack, Text } from "@mantine/core"
import type { ReactNode } from "react"

export const Facts = ({ facts }: { readonly facts: ReadonlyArray<readonly [name: string, value: ReactNode]> }) => (
  <Stack component="dl" gap={0} m={0}>
    {facts.map(([name, value]) => (
      <Group key={name} className="fact" justify="space-between" wrap="nowrap" py="xs">
        <Text component="dt" size="sm" fw={600}>
          {name}
        </Text>
        <Text component="dd" className="number" size="sm" m={0} ta="right">
          {value}
        </Text>
      </Group>
    ))}
  </Stack>
)

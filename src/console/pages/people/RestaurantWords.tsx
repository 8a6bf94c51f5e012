/** The restaurants that a person is limited to, which a change of the role keeps. Absent without such a limit. */
import { Code, Stack, Text } from "@mantine/core"
import { limitNames } from "../../../contract/RestaurantLimits.ts"
import type { Person } from "../../app/staff.ts"
import { staffStrings } from "../../app/staffStrings.ts"

const text = staffStrings.restaurants

export const RestaurantWords = ({ person }: { readonly person: Person }) => {
  const given = limitNames.filter((name) => person[name] !== undefined)
  return given.length === 0 ? undefined : (
    <Stack gap={4}>
      <Text size="sm">{text.stay}</Text>
      {given.map((name) => (
        <Text key={name} size="sm">
          {text[name]}: <Code dir="auto">{person[name]?.join(", ")}</Code>
        </Text>
      ))}
    </Stack>
  )
}

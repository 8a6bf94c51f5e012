/** What became of the events that triggered a campaign. */
import { SimpleGrid, Stack, Text } from "@mantine/core"
import type { Triggered as Shape } from "../../contract/platform/Triggers.ts"
import { automationStrings as text } from "../app/automationStrings.ts"
import { number } from "../app/format.ts"
import { Figure } from "./CampaignReport.tsx"
import { Listing } from "./Listing.tsx"
import { Note } from "./Note.tsx"

export const Triggered = ({ failed, holdout, issued, skipped, waiting }: Shape) => {
  const nothing = skipped.reduce((sum, one) => sum + one.count, 0)
  if (failed + holdout + issued + nothing + waiting === 0) return <Text c="dimmed">{text.nothingYet}</Text>
  return (
    <Stack>
      <SimpleGrid cols={{ base: 2, sm: 5 }}>
        <Figure label={text.figures.issued} value={number(issued)} />
        <Figure label={text.figures.waiting} value={number(waiting)} />
        <Figure label={text.figures.skipped} value={number(nothing)} />
        <Figure label={text.figures.failed} value={number(failed)} />
        <Figure label={text.figures.holdout} value={number(holdout)} />
      </SimpleGrid>
      {waiting === 0 ? undefined : <Note>{text.waitingHint}</Note>}
      {skipped.length === 0 ? undefined : (
        <Listing
          label={text.why}
          minWidth={280}
          rows={skipped}
          keyOf={({ code }) => code}
          columns={[
            { label: text.why, cell: ({ code }) => text.codes[code] ?? code },
            { label: text.happened, isNumber: true, cell: (one) => number(one.count) }
          ]}
        />
      )}
    </Stack>
  )
}

/** Outcomes of the events that triggered a campaign: in numbers, and of each of the newest ones. */
import { SimpleGrid, Stack, Text } from "@mantine/core"
import type { Triggered as Shape, Trigger, TriggeredOutcome } from "../../contract/platform/Triggers.ts"
import { reportedEvents } from "../../contract/platform/Triggers.ts"
import { number, timeShort } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { useZone } from "../shared/program.tsx"
import { automationStrings as text } from "./automationStrings.ts"
import { Figure } from "./CampaignReport.tsx"
import { campaignStrings } from "./campaignStrings.ts"
import { MemberLink } from "./Estimate.tsx"

const codes: Readonly<Record<string, string>> = { ...campaignStrings.codes, ...text.codes }

const whyWords = (code: string): string => codes[code] ?? code.replaceAll("_", " ")

/** `to`: the trigger's; undefined: the event's member. */
interface Receiving {
  readonly to: Trigger["to"] | undefined
}

const Newest = ({ outcomes, to }: Pick<Shape, "outcomes"> & Receiving) => {
  const zone = useZone()
  const came = ({ code, decided_at, due_at, status }: TriggeredOutcome) => (
    <>
      <div>{text.statuses[status](timeShort(decided_at ?? due_at, zone))}</div>
      {code === undefined ? undefined : <Note size="xs">{whyWords(code)}</Note>}
    </>
  )
  return (
    <Listing
      label={text.newest(reportedEvents)}
      minWidth={460}
      rows={outcomes.map((one, place) => ({ ...one, place }))}
      keyOf={({ place }) => String(place)}
      columns={[
        {
          label: to === "referrer" ? text.friend : text.member,
          cell: ({ member_id, order_id }) => (
            <>
              <MemberLink member_id={member_id} />
              {order_id === undefined ? undefined : <Note size="xs">{order_id}</Note>}
            </>
          )
        },
        ...(to === "referrer"
          ? [
              {
                label: text.gotIt,
                cell: ({ receiver_id }: TriggeredOutcome) =>
                  receiver_id === undefined ? "–" : <MemberLink member_id={receiver_id} />
              }
            ]
          : []),
        { label: text.happenedAt(zone), cell: ({ occurred_at }) => timeShort(occurred_at, zone) },
        { label: text.came, cell: came }
      ]}
    />
  )
}

export const Triggered = (props: Shape & Receiving) => {
  const { failed, holdout, issued, outcomes, skipped, to, waiting } = props
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
            { label: text.why, cell: ({ code }) => whyWords(code) },
            { label: text.happened, isNumber: true, cell: (one) => number(one.count) }
          ]}
        />
      )}
      <Text fw={600}>{text.newest(reportedEvents)}</Text>
      <Newest outcomes={outcomes} to={to} />
    </Stack>
  )
}

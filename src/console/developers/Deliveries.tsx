/** A connector's deliveries: what was sent, what the receiver answered, and what waits. */
import { Alert, Code, Group, List, SegmentedControl, Stack, Text } from "@mantine/core"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import type { Connector } from "../../contract/platform/Connectors.ts"
import type { Delivery } from "../../contract/platform/Deliveries.ts"
import { Deliveries as DeliveriesGroup } from "../../contract/platform/Deliveries.ts"
import { call, client } from "../shared/client.ts"
import { timeExact } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { PagedListing } from "../shared/PagedListing.tsx"
import { Panel } from "../shared/Panel.tsx"
import { usePaged } from "../shared/paged.ts"
import { useZone } from "../shared/program.tsx"
import { Empty } from "../shared/States.tsx"
import { Status } from "../shared/Status.tsx"
import { useMay } from "../shared/session.tsx"
import { TryNow } from "./ConnectorActions.tsx"
import { connectorStrings } from "./connectorStrings.ts"
import { connectorsMs } from "./connectors.ts"
import { answerText, typeText } from "./connectorWords.ts"
import { deliveriesSearch, deliveryStatuses } from "./deliveriesSearch.ts"
import { ReplayFailed, ReplayOne, ReplayRange } from "./Replays.tsx"

const platform = client(DeliveriesGroup)

const text = connectorStrings

/** Characters of an answer that the table shows. */
const saidCharacters = 120

const tones = { pending: "waiting", delivered: "good", failed: "bad" } as const

/** The attempts, newest first, and the last answer. */
const Attempts = ({ attempts, last_answer }: Delivery) => {
  const zone = useZone()
  return (
    <details>
      <summary>{text.attemptsOf(attempts.length)}</summary>
      <List size="sm" my={4} type="unordered">
        {attempts.toReversed().map((attempt) => (
          <List.Item key={attempt.at}>{`${timeExact(attempt.at, zone)}: ${answerText(attempt)}`}</List.Item>
        ))}
      </List>
      {last_answer === undefined || last_answer === "" ? undefined : (
        <Code block className="secret">
          {last_answer}
        </Code>
      )}
    </details>
  )
}

/** When a delivery is tried next. `isFailing`: all fail, so that one at a time is tried, whatever its own time is. Attempts go by the machine's clock, also in a sandbox. */
const nextText = (
  { attempts, next_attempt_at, status }: Delivery,
  zone: string,
  isFailing: boolean
): string | undefined => {
  if (status !== "pending") return undefined
  if (next_attempt_at !== undefined && Date.parse(next_attempt_at) > Date.now()) return timeExact(next_attempt_at, zone)
  if (attempts.length === 0) return text.afterOthers
  return isFailing ? text.nextAfterOne : text.nextNow
}

/** The beginning of what the receiver answered to a delivery that it did not accept. */
const Said = ({ last_answer = "", status }: Delivery) =>
  status === "delivered" || last_answer.trim() === "" ? undefined : (
    <Note size="xs" style={{ overflowWrap: "anywhere" }}>
      {last_answer.length > saidCharacters ? `${last_answer.slice(0, saidCharacters)}…` : last_answer}
    </Note>
  )

const Filter = () => {
  const { status = "" } = useSearch({ from: "/developers/connectors/$connector_id" })
  const navigate = useNavigate({ from: "/developers/connectors/$connector_id" })
  return (
    <SegmentedControl
      aria-label={text.status}
      value={status}
      data={[
        { value: "", label: text.anyStatus },
        ...deliveryStatuses.map((value) => ({ value, label: text.statuses[value] }))
      ]}
      onChange={(chosen) =>
        void navigate({
          search: ({ program }) => ({
            ...(program === undefined ? {} : { program }),
            ...deliveriesSearch({ status: chosen })
          })
        })
      }
    />
  )
}

export const Deliveries = ({ connector }: { readonly connector: Connector }) => {
  const { connector_id, enabled, health } = connector
  const { status } = useSearch({ from: "/developers/connectors/$connector_id" })
  const may = useMay()
  const zone = useZone()
  const [told, tell] = useState<string>()
  const deliveries = usePaged(
    ["deliveries", connector_id, status],
    (page) =>
      call(
        platform.platform_deliveries.listDeliveries({
          query: { connector_id, ...(status === undefined ? {} : { status }), ...page }
        })
      ),
    true,
    connectorsMs
  )
  const mayReplay = may("replayConnector") && enabled
  return (
    <Panel
      title={text.deliveries}
      actions={
        mayReplay ? (
          <Group gap="xs">
            {health.waiting > 0 ? <TryNow connector={connector} /> : undefined}
            <ReplayFailed connector={connector} tell={tell} />
            <ReplayRange connector={connector} tell={tell} />
          </Group>
        ) : undefined
      }
    >
      <Stack gap="sm">
        <Note>
          {text.deliveriesHint} {may("replayConnector") && !enabled ? text.enableToReplay : ""}
        </Note>
        {told === undefined ? undefined : (
          <Alert
            color="green"
            role="status"
            withCloseButton
            closeButtonLabel={text.dismiss}
            onClose={() => tell(undefined)}
          >
            {told}
          </Alert>
        )}
        <Group>
          <Filter />
        </Group>
        <PagedListing
          query={deliveries}
          rowsOf={(page) => page.deliveries}
          empty={
            status === undefined ? (
              <Empty title={text.noDeliveries}>{text.noDeliveriesHint}</Empty>
            ) : (
              <Empty title={text.noneMatch} />
            )
          }
          label={text.deliveries}
          minWidth={860}
          keyOf={({ attempts, event_id }) => `${event_id} ${attempts[0]?.at ?? ""}`}
          columns={[
            {
              label: text.event,
              width: 250,
              cell: ({ event_id, event_type }) => (
                <>
                  {typeText(event_type)}
                  <Note size="xs" fw={400}>
                    {event_id}
                  </Note>
                </>
              )
            },
            {
              label: text.status,
              cell: (one) => <Status tone={tones[one.status]}>{text.statuses[one.status]}</Status>
            },
            {
              label: `${text.sent} (${zone})`,
              cell: ({ attempts }) => {
                const last = attempts.at(-1)
                return last === undefined ? text.notSent : timeExact(last.at, zone)
              }
            },
            {
              label: text.answer,
              isLong: true,
              cell: (one) => {
                const last = one.attempts.at(-1)
                return last === undefined ? undefined : (
                  <>
                    <Text size="sm">{answerText(last)}</Text>
                    <Said {...one} />
                    <Attempts {...one} />
                  </>
                )
              }
            },
            { label: text.nextAttempt, cell: (one) => nextText(one, zone, health.failing_since !== undefined) },
            {
              label: "",
              cell: ({ event_id, event_type, status: is }) =>
                mayReplay && is !== "pending" ? (
                  <ReplayOne connector={connector} event_id={event_id} event_type={event_type} tell={tell} />
                ) : undefined
            }
          ]}
        />
      </Stack>
    </Panel>
  )
}

/** The dialogs that send events again. */
import { Alert, Loader, Text, TextInput } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Connector } from "../../contract/platform/Connectors.ts"
import type { ReplayRequest } from "../../contract/platform/Deliveries.ts"
import { Deliveries } from "../../contract/platform/Deliveries.ts"
import { call, client, keyed } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import type { Once } from "../shared/form/once.ts"
import { number } from "../shared/format.ts"
import { useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt, sentenceOf } from "../shared/States.tsx"
import { instantOf } from "../shared/schedule.ts"
import { strings } from "../shared/strings.ts"
import { connectorStrings } from "./connectorStrings.ts"
import { newest } from "./connectors.ts"
import { typeText } from "./connectorWords.ts"

const platform = client(Deliveries)

const text = connectorStrings

interface Props {
  readonly connector: Connector
  /** Told what was accepted, in words. */
  readonly tell: (done: string) => void
}

const replay = (keyOf: Once["keyOf"], payload: ReplayRequest) =>
  call(keyed(keyOf(payload), platform.platform_deliveries.replayConnector({ payload })))

export const ReplayOne = (props: Props & { readonly event_id: string; readonly event_type: string }) => {
  const { connector, event_id, event_type, tell } = props
  const { connector_id, name } = connector
  const refresh = useRefresh("deliveries", "connectors")
  return (
    <ChangeDialog
      label={text.replay}
      name={text.replayOf(`${typeText(event_type)}, ${event_id}`)}
      submit={text.replay}
      done={() => {
        refresh()
        tell(text.replayed)
      }}
      run={(keyOf) => replay(keyOf, { connector_id, event_ids: [event_id] })}
    >
      <Text style={{ overflowWrap: "anywhere" }}>{text.willReplayOne(typeText(event_type), name)}</Text>
    </ChangeDialog>
  )
}

/** Counts what has failed when it opens, and sends just that. */
export const ReplayFailed = ({ connector: { connector_id, health, name }, tell }: Props) => {
  const { waiting } = health
  const refresh = useRefresh("deliveries", "connectors")
  const [openings, setOpenings] = useState(0)
  const found = useQuery({
    queryKey: ["failed deliveries", connector_id, openings],
    enabled: openings > 0,
    staleTime: Number.POSITIVE_INFINITY,
    // A page that is opened again counts its openings from the first.
    gcTime: 0,
    queryFn: () => newest(connector_id, "failed")
  })
  const ids = [...new Set(found.data?.deliveries.map(({ event_id }) => event_id))]
  return (
    <ChangeDialog
      label={text.replayFailed}
      begin={() => setOpenings(openings + 1)}
      isReady={ids.length > 0}
      done={() => {
        refresh()
        tell(text.replayedFailed(ids.length, number(ids.length)))
      }}
      run={(keyOf) => replay(keyOf, { connector_id, event_ids: ids })}
    >
      {found.error === null ? undefined : <Alert color="red">{sentenceOf(found.error)}</Alert>}
      {found.data === undefined ? (
        found.error === null ? (
          <Loader size="sm" aria-label={strings.states.loading} />
        ) : undefined
      ) : ids.length === 0 ? (
        <Text>{waiting === 0 ? text.noFailed : text.noFailedButWaiting(waiting, number(waiting))}</Text>
      ) : (
        <Text>{text.willReplayFailed(ids.length, number(ids.length), name)}</Text>
      )}
      {found.data?.isAll === false ? <Alert color="yellow">{text.onlyNewest(number(ids.length))}</Alert> : undefined}
    </ChangeDialog>
  )
}

/** An instant as a place in the feed. */
const placeOf = (at: number): string => `time:${new Date(at).toISOString()}`

export const ReplayRange = ({ connector: { connector_id, name }, tell }: Props) => {
  const refresh = useRefresh("deliveries", "connectors")
  const zone = useZone()
  const [from, setFrom] = useState("")
  const [until, setUntil] = useState("")
  const begin = instantOf(from, zone)
  const end = instantOf(until, zone)
  const isBackwards = begin !== undefined && end !== undefined && end <= begin
  return (
    <ChangeDialog
      label={text.replayRange}
      submit={text.replay}
      isReady={begin !== undefined && (until === "" || end !== undefined) && !isBackwards}
      begin={() => {
        setFrom("")
        setUntil("")
      }}
      done={() => {
        refresh()
        tell(text.replayedRange)
      }}
      run={(keyOf) =>
        replay(keyOf, {
          connector_id,
          after: placeOf(begin ?? 0),
          ...(end === undefined ? {} : { until: placeOf(end) })
        })
      }
    >
      {(error: unknown) => (
        <>
          <Text>{text.willReplayRange(name)}</Text>
          <TextInput
            type="datetime-local"
            label={text.rangeFrom}
            description={strings.form.inZone(zone)}
            required
            value={from}
            onChange={({ currentTarget }) => setFrom(currentTarget.value)}
            error={faultAt(error, "/after", [from, until])}
          />
          <TextInput
            type="datetime-local"
            label={text.rangeUntil}
            description={`${text.rangeUntilHint} ${strings.form.inZone(zone)}`}
            value={until}
            onChange={({ currentTarget }) => setUntil(currentTarget.value)}
            error={isBackwards ? text.rangeBackwards : faultAt(error, "/until", [from, until])}
          />
        </>
      )}
    </ChangeDialog>
  )
}

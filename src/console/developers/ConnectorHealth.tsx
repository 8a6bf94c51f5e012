/** How a connector's deliveries go: a word with its colour, and one detail. */
import { Alert, Text } from "@mantine/core"
import type { Connector } from "../../contract/platform/Connectors.ts"
import { number, time, timeShort } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { useZone } from "../shared/program.tsx"
import { Status } from "../shared/Status.tsx"
import type { ConnectorState } from "./connectorState.ts"
import { stateOf, stateTones } from "./connectorState.ts"
import { connectorStrings } from "./connectorStrings.ts"
import { useLiveNow } from "./connectors.ts"

const text = connectorStrings

const detailOf = (state: ConnectorState, { health }: Connector, zone: string): string | undefined => {
  const { disabled_reason: reason, failing_since, last_success_at, undelivered_since, waiting } = health
  const last = last_success_at === undefined ? text.noneYet : text.lastSuccessAt(timeShort(last_success_at, zone))
  switch (state) {
    case "stopped":
      return reason === undefined ? undefined : text.reasons[reason]
    case "failing":
      return failing_since === undefined ? undefined : text.since(timeShort(failing_since, zone))
    case "behind":
      return waiting === 0 && undelivered_since !== undefined
        ? text.lateSince(timeShort(undelivered_since, zone))
        : text.waitingOf(waiting, number(waiting))
    default:
      return last
  }
}

export const ConnectorHealth = ({ connector }: { readonly connector: Connector }) => {
  const zone = useZone()
  const state = stateOf(connector, useLiveNow())
  const detail = detailOf(state, connector, zone)
  return (
    <>
      <Status tone={stateTones[state]}>{text.states[state]}</Status>
      {detail === undefined ? undefined : <Note size="xs">{detail}</Note>}
    </>
  )
}

/** Why nothing is delivered, if that is so. */
export const ConnectorTrouble = ({ connector: { enabled, health } }: { readonly connector: Connector }) => {
  const zone = useZone()
  const { disabled_reason: reason, failing_since } = health
  if (!enabled)
    return reason === undefined ? undefined : (
      <Alert color="red" role="status" title={`${text.states.stopped}. ${text.reasons[reason]}`}>
        {text.stoppedAlert}
      </Alert>
    )
  return failing_since === undefined ? undefined : (
    <Alert color="red" role="status">
      <Text size="sm">{text.failingAlert(time(failing_since, zone))}</Text>
    </Alert>
  )
}

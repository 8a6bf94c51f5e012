/** Actions of a person on a connector. Each dialog says what will happen. */
import { Alert, Button, Checkbox, Code, Group, Stack, Text } from "@mantine/core"
import { useState } from "react"
import type { Connector } from "../../contract/platform/Connectors.ts"
import { Connectors } from "../../contract/platform/Connectors.ts"
import type { TestOutcome } from "../../contract/platform/Deliveries.ts"
import { ConnectorRotation, Deliveries, defaultOverlapSeconds } from "../../contract/platform/Deliveries.ts"
import { call, client, keyed } from "../shared/client.ts"
import { Facts } from "../shared/Facts.tsx"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Dialog } from "../shared/form/Dialog.tsx"
import { Field } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { milliseconds, number, time } from "../shared/format.ts"
import { useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { strings } from "../shared/strings.ts"
import { ConnectorSecret } from "./ConnectorSecret.tsx"
import { connectorStrings } from "./connectorStrings.ts"
import { isSuccess } from "./deliveryFigures.ts"
import { developerStrings } from "./developerStrings.ts"
import type { JustIssued } from "./SecretDialog.tsx"

const platform = client(Connectors, Deliveries)

const text = connectorStrings
const testErrors: Readonly<Record<string, string>> = text.testErrors

interface Props {
  readonly connector: Connector
}

/** Enables or disables. While the dialog is open, it shows the connector as it was when it opened. */
export const SwitchConnector = ({ connector }: Props) => {
  const refresh = useRefresh("connectors", "deliveries")
  const zone = useZone()
  const [opened, setOpened] = useState<Connector>()
  const [isResending, setResending] = useState(false)
  const { configuration, connector_id, enabled, health, name } = opened ?? connector
  const { disabled_reason: reason, undelivered_since: missed } = health
  return (
    <ChangeDialog
      label={enabled ? text.disable : text.enable}
      name={(enabled ? text.disableOf : text.enableOf)(name)}
      begin={() => {
        setOpened(connector)
        // A connector that a person has disabled may have been without events on purpose.
        setResending(connector.health.disabled_reason !== undefined)
      }}
      end={() => setOpened(undefined)}
      done={refresh}
      run={async (keyOf) => {
        const payload = { connector_id, enabled: !enabled }
        await call(keyed(keyOf(payload), platform.platform_deliveries.setConnectorStatus({ payload })))
        if (enabled || missed === undefined || !isResending) return
        const range = { connector_id, after: `time:${missed}` }
        await call(keyed(keyOf(range), platform.platform_deliveries.replayConnector({ payload: range })))
      }}
    >
      {reason === undefined ? undefined : (
        <Alert color="red" title={text.states.stopped}>
          {text.reasons[reason]}
        </Alert>
      )}
      <Text>{(enabled ? text.willDisable : text.willEnable)(name)}</Text>
      {enabled && configuration.guest_codes === true ? <Alert color="red">{text.codesStop}</Alert> : undefined}
      {enabled || missed === undefined ? undefined : (
        <Checkbox
          label={text.sendMissed(time(missed, zone))}
          description={text.sendMissedHint}
          checked={isResending}
          onChange={({ currentTarget }) => setResending(currentTarget.checked)}
        />
      )}
    </ChangeDialog>
  )
}

/** A receiver that answers at once has answered by then, ms. */
const soonMs = 1_500

/** Has what waits tried at once, after the receiver was mended. */
export const TryNow = ({ connector }: Props) => {
  const { connector_id, health, name } = connector
  const { failing_since, waiting } = health
  const refresh = useRefresh("deliveries", "connectors")
  return (
    <ChangeDialog
      label={text.tryNow}
      name={text.tryNowOf(name)}
      submit={text.tryNow}
      // That the attempt is made says nothing of how it ends.
      told={text.trying}
      done={() => {
        refresh()
        setTimeout(refresh, soonMs)
      }}
      run={(keyOf) =>
        call(keyed(keyOf(connector_id), platform.platform_deliveries.retryConnector({ payload: { connector_id } })))
      }
    >
      <Text>{text.willTry(waiting, number(waiting))}</Text>
      {failing_since === undefined ? undefined : <Text>{text.willTryOne}</Text>}
    </ChangeDialog>
  )
}

export const DeleteConnector = ({ connector, done }: Props & { readonly done?: () => void }) => {
  const refresh = useRefresh("connectors")
  const { connector_id, name } = connector
  return (
    <ChangeDialog
      label={text.remove}
      name={text.removeOf(name)}
      isDangerous
      done={() => {
        refresh()
        done?.()
      }}
      run={(keyOf) =>
        call(keyed(keyOf(connector_id), platform.platform_connectors.deleteConnector({ payload: { connector_id } })))
      }
    >
      <Alert color="red">{text.willRemove(name)}</Alert>
    </ChangeDialog>
  )
}

const Outcome = ({ body, duration_ms, error, status }: TestOutcome) => {
  const isGood = isSuccess({ ...(status === undefined ? {} : { status }) })
  return (
    <>
      <Alert color={isGood ? "green" : "red"}>
        {isGood ? text.testGood : status === undefined ? text.testUnanswered : text.testRefused}
      </Alert>
      <Facts
        facts={[
          ...(status === undefined ? [] : [[text.answerStatus, String(status)] as const]),
          ...(error === undefined ? [] : [[text.error, testErrors[error] ?? error] as const]),
          [text.duration, milliseconds(duration_ms)]
        ]}
      />
      {status === undefined ? undefined : body === undefined || body === "" ? (
        <Text size="sm">{text.noBody}</Text>
      ) : (
        <div>
          <Text size="sm" fw={600} mb={4}>
            {text.body}
          </Text>
          <Code block className="secret">
            {body}
          </Code>
        </div>
      )}
    </>
  )
}

/** Sends a test, and shows what the receiver answered. */
export const TestConnector = ({ connector }: Props) => {
  const { configuration, connector_id } = connector
  const [outcome, tell] = useState<TestOutcome>()
  const close = () => tell(undefined)
  return (
    <>
      <ChangeDialog
        label={text.test}
        run={async (keyOf) => {
          const payload = { connector_id }
          tell(await call(keyed(keyOf(payload), platform.platform_deliveries.testConnector({ payload }))))
        }}
      >
        <Text style={{ overflowWrap: "anywhere" }}>{text.testHint(configuration.url)}</Text>
        <Text>{text.testOnce}</Text>
      </ChangeDialog>
      <Dialog opened={outcome !== undefined} onClose={close} title={text.testTitle}>
        <Stack>
          {outcome === undefined ? undefined : <Outcome {...outcome} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {strings.states.close}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}

export const RotateConnector = ({ connector }: Props) => {
  const refresh = useRefresh("connectors")
  const { connector_id, name } = connector
  const [issued, tell] = useState<JustIssued>()
  return (
    <>
      <FormDialog
        label={text.rotate}
        schema={ConnectorRotation}
        start={{ connector_id, overlap_seconds: defaultOverlapSeconds }}
        send={(payload) => platform.platform_deliveries.rotateConnector({ payload })}
        done={(made) => {
          tell(made)
          refresh()
        }}
      >
        <Alert title={strings.member.preview}>{text.willRotate(name)}</Alert>
        <Field at="/overlap_seconds" label={text.overlap} hint={text.overlapHint} options={developerStrings.overlaps} />
      </FormDialog>
      <ConnectorSecret issued={issued} name={name} close={() => tell(undefined)} />
    </>
  )
}

/** Actions of a person on connected tills. Each dialog says what will happen. */
import { Alert, Button, Group, NativeSelect, PasswordInput, Stack, Text } from "@mantine/core"
import { useState } from "react"
import type { Connection } from "../../contract/admin/Connections.ts"
import { ConnectionRotation } from "../../contract/admin/Connections.ts"
import { call, keyed } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Dialog } from "../shared/form/Dialog.tsx"
import { Field } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { useIsRoot, useSession } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import type { JustIssued } from "./SecretDialog.tsx"
import { TillKey } from "./TillKey.tsx"
import { tillStrings } from "./tillStrings.ts"
import { admin, tryKey } from "./tills.ts"

const text = tillStrings

interface Props {
  readonly connection: Connection
}

const ofTills = ["protocol:read", "protocol:write", "members:read"] as const

/** True if the session may let tills see and do more. */
export const useIsOwner = (): boolean => {
  const { scopes } = useSession()
  const isRoot = useIsRoot()
  return isRoot || ofTills.every((scope) => scopes.includes(scope))
}

/** Pauses, or makes active again. While the dialog is open, it shows the connection as it was when it opened. */
export const SwitchTill = ({ connection }: Props) => {
  const refresh = useRefresh("connections")
  const [opened, setOpened] = useState<Connection>()
  const { connection_id, name, status } = opened ?? connection
  const isActive = status === "active"
  return (
    <ChangeDialog
      label={isActive ? text.pause : text.resume}
      name={(isActive ? text.pauseOf : text.resumeOf)(name)}
      submit={isActive ? text.pause : text.resume}
      begin={() => setOpened(connection)}
      end={() => setOpened(undefined)}
      done={refresh}
      run={(keyOf) => {
        const payload = { status: isActive ? ("paused" as const) : ("active" as const) }
        return call(
          keyed(
            keyOf({ connection_id, ...payload }),
            admin.connections.changeConnection({ params: { connection_id }, payload })
          )
        )
      }}
    >
      <Text>{(isActive ? text.willPause : text.willResume)(name)}</Text>
    </ChangeDialog>
  )
}

/** Default overlap of two keys, minutes. */
const usualOverlap = 60

export const RotateTill = ({ connection }: Props) => {
  const refresh = useRefresh("connections")
  const { connection_id, name } = connection
  const [issued, tell] = useState<JustIssued>()
  return (
    <>
      <FormDialog
        label={text.rotate}
        schema={ConnectionRotation}
        start={{ overlap_minutes: usualOverlap }}
        send={(payload) => admin.connections.rotateConnection({ params: { connection_id }, payload })}
        done={(made) => {
          tell(made)
          refresh()
        }}
      >
        <Alert title={strings.member.preview}>{text.willRotate(name)}</Alert>
        <Field at="/overlap_minutes" label={text.overlap} hint={text.overlapHint} options={text.overlaps} />
      </FormDialog>
      <TillKey issued={issued} name={name} close={() => tell(undefined)} />
    </>
  )
}

export const DeleteTill = ({ connection, done }: Props & { readonly done: () => void }) => {
  const refresh = useRefresh("connections")
  const { connection_id, name } = connection
  return (
    <ChangeDialog
      label={text.remove}
      name={text.removeOf(name)}
      submit={text.remove}
      isDangerous
      done={() => {
        done()
        refresh()
      }}
      run={(keyOf) =>
        call(
          keyed(keyOf({ deleted: connection_id }), admin.connections.deleteConnection({ params: { connection_id } }))
        )
      }
    >
      <Alert color="red">{text.willRemove(name)}</Alert>
    </ChangeDialog>
  )
}

/** Asks as the till does, and says whether its address and key are right. */
export const TryTill = ({ connection }: Props) => {
  const { path, restaurants, status } = connection
  const [key, setKey] = useState("")
  const [restaurant, setRestaurant] = useState(restaurants[0]?.external_id ?? "")
  const [outcome, tell] = useState<Awaited<ReturnType<typeof tryKey>>>()
  const close = () => tell(undefined)
  const isGood = outcome === "good"
  return (
    <>
      <ChangeDialog
        label={text.test}
        end={() => setKey("")}
        isReady={key.trim() !== ""}
        told={text.testTold}
        run={async () => tell(await tryKey(path, key.trim(), restaurant))}
      >
        <Text>{text.testHint}</Text>
        <PasswordInput
          label={text.key}
          autoComplete="off"
          value={key}
          onChange={({ currentTarget }) => setKey(currentTarget.value)}
        />
        {restaurants.length === 0 ? undefined : (
          <NativeSelect
            label={text.location}
            value={restaurant}
            data={restaurants.map(({ external_id }) => external_id)}
            onChange={({ currentTarget }) => setRestaurant(currentTarget.value)}
          />
        )}
      </ChangeDialog>
      <Dialog opened={outcome !== undefined} onClose={close} title={text.testTitle}>
        <Stack>
          <Alert color={isGood ? "green" : "red"}>
            {isGood
              ? text.testGood
              : outcome === "refused"
                ? status === "paused"
                  ? text.testPaused
                  : text.testRefused
                : outcome === "unmapped"
                  ? text.testUnmapped(restaurant)
                  : text.testOther(outcome ?? 0)}
          </Alert>
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

import { Alert, Group, Stack, TextInput } from "@mantine/core"
import { useState } from "react"
import type { User } from "../../contract/admin/Staff.ts"
import { accountClient, useKeepAccount, useOwnAccount } from "../shared/account.ts"
import { call } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { timeShort } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt, Shown } from "../shared/States.tsx"
import { staffStrings } from "../shared/staffStrings.ts"
import { strings } from "../shared/strings.ts"
import { thisDevice } from "./device.ts"
import { makePasskey } from "./passkeys.ts"

const text = staffStrings.account

type Own = typeof User.Type

interface NameProps {
  readonly value: string
  readonly set: (name: string) => void
  /** Of the change; null or undefined: none. */
  readonly error: unknown
}

/** The field for a passkey's name. */
const Name = ({ error, set, value }: NameProps) => (
  <TextInput
    label={staffStrings.invitation.name}
    description={staffStrings.invitation.nameHint}
    required
    maxLength={128}
    value={value}
    onChange={({ currentTarget }) => set(currentTarget.value)}
    error={faultAt(error, "/name", value)}
  />
)

const Add = () => {
  const keep = useKeepAccount()
  const [name, setName] = useState("")
  return (
    <ChangeDialog
      label={text.add}
      isReady={name.trim() !== ""}
      begin={() => setName(thisDevice())}
      run={async () => {
        const { options } = await call(accountClient.account.newPasskeyOptions())
        const credential = await makePasskey(options)
        keep(await call(accountClient.account.addPasskey({ payload: { name: name.trim(), credential } })))
      }}
    >
      {(error: unknown) => (
        <>
          <Name value={name} set={setName} error={error} />
          <Alert title={strings.member.preview}>{text.addEffect}</Alert>
        </>
      )}
    </ChangeDialog>
  )
}

const Rename = ({ name: before, passkey_id }: Own["passkeys"][number]) => {
  const keep = useKeepAccount()
  const [name, setName] = useState(before)
  return (
    <ChangeDialog
      label={text.rename}
      name={text.of(text.rename, before)}
      submit={text.rename}
      isReady={name.trim() !== "" && name.trim() !== before}
      begin={() => setName(before)}
      run={async () =>
        keep(
          await call(accountClient.account.renamePasskey({ params: { passkey_id }, payload: { name: name.trim() } }))
        )
      }
    >
      {(error: unknown) => <Name value={name} set={setName} error={error} />}
    </ChangeDialog>
  )
}

const Remove = ({ name, passkey_id }: Own["passkeys"][number]) => {
  const keep = useKeepAccount()
  return (
    <ChangeDialog
      label={text.remove}
      name={text.of(text.remove, name)}
      isDangerous
      done={useRefresh("sessions")}
      run={async () => keep(await call(accountClient.account.removePasskey({ params: { passkey_id } })))}
    >
      <Alert color="red" title={strings.member.preview}>
        {text.removeEffect(name)}
      </Alert>
    </ChangeDialog>
  )
}

export const OwnPasskeys = () => {
  const zone = useZone()
  const account = useOwnAccount()
  return (
    <Panel title={text.passkeys} actions={<Add />}>
      <Stack>
        <Note>{text.passkeysHint}</Note>
        <Shown query={account}>
          {({ passkeys }) => (
            <Listing
              label={text.passkeys}
              minWidth={560}
              rows={passkeys}
              keyOf={({ passkey_id }) => passkey_id}
              columns={[
                { label: staffStrings.name, by: ({ name }) => name, cell: ({ name }) => <bdi>{name}</bdi> },
                {
                  label: `${text.made} (${zone})`,
                  by: ({ created_at }) => created_at,
                  cell: ({ created_at }) => timeShort(created_at, zone)
                },
                {
                  label: `${text.lastUsed} (${zone})`,
                  by: ({ last_used_at }) => last_used_at,
                  cell: ({ last_used_at }) =>
                    last_used_at === undefined ? staffStrings.never : timeShort(last_used_at, zone)
                },
                {
                  label: "",
                  cell: (passkey) => (
                    <Group gap="xs">
                      <Rename {...passkey} />
                      {passkeys.length === 1 ? <Note size="xs">{text.lastPasskey}</Note> : <Remove {...passkey} />}
                    </Group>
                  )
                }
              ]}
            />
          )}
        </Shown>
      </Stack>
    </Panel>
  )
}

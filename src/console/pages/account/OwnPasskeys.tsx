import { Alert, Stack, TextInput } from "@mantine/core"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Account } from "../../../contract/admin/Account.ts"
import type { User } from "../../../contract/admin/Staff.ts"
import { call, client } from "../../app/client.ts"
import { thisDevice } from "../../app/device.ts"
import { timeShort } from "../../app/format.ts"
import { makePasskey } from "../../app/passkeys.ts"
import { useZone } from "../../app/program.tsx"
import { useRefresh } from "../../app/refresh.ts"
import { staffStrings } from "../../app/staffStrings.ts"
import { strings } from "../../app/strings.ts"
import { ChangeDialog } from "../../ui/ChangeDialog.tsx"
import { Listing } from "../../ui/Listing.tsx"
import { Note } from "../../ui/Note.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { faultAt, Shown } from "../../ui/States.tsx"

const admin = client(Account)

const text = staffStrings.account

type Own = typeof User.Type

const queryKey = ["account"]

/** Keeps what the service answered to a change. */
const useKeep = () => {
  const queries = useQueryClient()
  return (user: Own): void => void queries.setQueryData(queryKey, user)
}

const Add = () => {
  const keep = useKeep()
  const [name, setName] = useState("")
  return (
    <ChangeDialog
      label={text.add}
      isReady={name.trim() !== ""}
      begin={() => setName(thisDevice())}
      run={async () => {
        const { options } = await call(admin.account.newPasskeyOptions())
        const credential = await makePasskey(options)
        keep(await call(admin.account.addPasskey({ payload: { name: name.trim(), credential } })))
      }}
    >
      {(error: unknown) => (
        <>
          <TextInput
            label={staffStrings.invitation.name}
            description={staffStrings.invitation.nameHint}
            required
            maxLength={128}
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            error={faultAt(error, "/name")}
          />
          <Alert title={strings.member.preview}>{text.addEffect}</Alert>
        </>
      )}
    </ChangeDialog>
  )
}

const Remove = ({ name, passkey_id }: Own["passkeys"][number]) => {
  const keep = useKeep()
  return (
    <ChangeDialog
      label={text.remove}
      name={text.of(text.remove, name)}
      isDangerous
      done={useRefresh("sessions")}
      run={async () => keep(await call(admin.account.removePasskey({ params: { passkey_id } })))}
    >
      <Alert color="red" title={strings.member.preview}>
        {text.removeEffect(name)}
      </Alert>
    </ChangeDialog>
  )
}

export const OwnPasskeys = () => {
  const zone = useZone()
  const account = useQuery({ queryKey, queryFn: () => call(admin.account.showOwnAccount()) })
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
                { label: staffStrings.name, cell: ({ name }) => <bdi>{name}</bdi> },
                { label: `${text.made} (${zone})`, cell: ({ created_at }) => timeShort(created_at, zone) },
                {
                  label: `${text.lastUsed} (${zone})`,
                  cell: ({ last_used_at }) =>
                    last_used_at === undefined ? staffStrings.never : timeShort(last_used_at, zone)
                },
                {
                  label: "",
                  cell: (passkey) =>
                    passkeys.length === 1 ? <Note size="xs">{text.lastPasskey}</Note> : <Remove {...passkey} />
                }
              ]}
            />
          )}
        </Shown>
      </Stack>
    </Panel>
  )
}

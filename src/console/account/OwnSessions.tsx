import { Alert, Badge, Group } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { accountClient } from "../shared/account.ts"
import { call } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { timeShort } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { Shown } from "../shared/States.tsx"
import { staffStrings } from "../shared/staffStrings.ts"
import { strings } from "../shared/strings.ts"

const text = staffStrings.account

/** Ends a session, or all others without an id. */
const End = (props: {
  readonly label: string
  readonly name?: string
  readonly effect: string
  readonly session_id?: string
}) => {
  const { effect, label, name, session_id } = props
  return (
    <ChangeDialog
      label={label}
      {...(name === undefined ? undefined : { name })}
      isDangerous
      done={useRefresh("sessions")}
      run={() =>
        call(accountClient.account.endOwnSessions({ payload: session_id === undefined ? {} : { session_id } }))
      }
    >
      <Alert color="red" title={strings.member.preview}>
        {effect}
      </Alert>
    </ChangeDialog>
  )
}

export const OwnSessions = () => {
  const zone = useZone()
  const sessions = useQuery({
    queryKey: ["sessions"],
    queryFn: async () => (await call(accountClient.account.listOwnSessions())).sessions
  })
  const hasOthers = sessions.data !== undefined && sessions.data.length > 1
  return (
    <Panel
      title={text.sessions}
      actions={hasOthers ? <End label={text.endOthers} effect={text.endOthersEffect} /> : undefined}
    >
      <Shown query={sessions}>
        {(rows) => (
          <Listing
            label={text.sessions}
            minWidth={640}
            rows={rows}
            keyOf={({ session_id }) => session_id}
            columns={[
              {
                label: text.device,
                by: ({ device }) => device,
                cell: ({ device, is_this }) => (
                  <Group gap="xs">
                    <bdi>{device}</bdi>
                    {is_this ? <Badge variant="light">{text.isThis}</Badge> : undefined}
                  </Group>
                )
              },
              { label: text.address, by: ({ address }) => address, cell: ({ address }) => address },
              {
                label: `${text.began} (${zone})`,
                by: ({ began_at }) => began_at,
                cell: ({ began_at }) => timeShort(began_at, zone)
              },
              {
                label: `${text.lastSeen} (${zone})`,
                by: ({ last_seen_at }) => last_seen_at,
                cell: ({ last_seen_at }) => timeShort(last_seen_at, zone)
              },
              {
                label: "",
                cell: ({ device, is_this, session_id }) =>
                  is_this ? undefined : (
                    <End
                      label={text.end}
                      name={text.of(text.end, device)}
                      effect={text.endEffect(device)}
                      session_id={session_id}
                    />
                  )
              }
            ]}
          />
        )}
      </Shown>
    </Panel>
  )
}

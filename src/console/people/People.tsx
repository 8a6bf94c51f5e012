/** People who work with the console, and what each may do. */
import { Alert, Badge, Group, Paper, Stack, Text } from "@mantine/core"
import { useState } from "react"
import { timeShort } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { useNames, useZone } from "../shared/program.tsx"
import { restaurantWords } from "../shared/restaurantWords.ts"
import { Empty, Shown } from "../shared/States.tsx"
import { Status } from "../shared/Status.tsx"
import { useMay, useSession } from "../shared/session.tsx"
import { staffStrings } from "../shared/staffStrings.ts"
import { Actions } from "./Actions.tsx"
import { Invite } from "./Invite.tsx"
import type { JustInvited } from "./InvitedDialog.tsx"
import { InvitedDialog } from "./InvitedDialog.tsx"
import { Limits } from "./Limits.tsx"
import { limitWords } from "./limits.ts"
import { OwnLook } from "./OwnLook.tsx"
import { RoleWords } from "./RoleWords.tsx"
import type { Person } from "./staff.ts"
import { isActiveOwner, useRoles, useStaff } from "./staff.ts"

const text = staffStrings.people

const tones = { invited: "waiting", active: "good", disabled: "neutral" } as const

const Who = ({ person: { email, name, user_id } }: { readonly person: Person }) => {
  const { user } = useSession()
  return (
    <>
      <Group gap="xs">
        <bdi>{name}</bdi>
        {user?.user_id === user_id ? <Badge variant="light">{text.you}</Badge> : undefined}
      </Group>
      <Note size="xs" fw={400}>
        {email}
      </Note>
    </>
  )
}

/** The programmes and restaurants that a person is limited to. */
const Limited = ({ person }: { readonly person: Person }) => {
  const names = useNames()
  const restaurants = restaurantWords(person)
  return (
    <>
      {person.programs?.map(names.program).join(", ") ?? staffStrings.allPrograms}
      {restaurants === undefined ? undefined : <Note size="xs">{restaurants}</Note>}
    </>
  )
}

export const People = () => {
  const staff = useStaff()
  const may = useMay()
  const zone = useZone()
  const given = useRoles()
  // The service takes changes of people from callers of all programmes alone.
  const isUnlimited = useSession().programs === undefined
  const [invited, told] = useState<JustInvited>()
  const [sentence, said] = useState<string>()
  const mayChange = may("changeUserRole") && isUnlimited
  return (
    <Stack>
      <Group justify="space-between" align="baseline">
        <Heading help="people">{text.title}</Heading>
        {may("inviteUser") && isUnlimited ? <Invite told={told} /> : undefined}
      </Group>
      <Text c="dimmed">{text.hint}</Text>
      {sentence === undefined ? undefined : (
        <Alert role="status" withCloseButton closeButtonLabel={text.close} onClose={() => said(undefined)}>
          {sentence}
        </Alert>
      )}
      <InvitedDialog invited={invited} close={() => told(undefined)} />
      <Shown query={staff}>
        {(people) => {
          const owners = people.filter(isActiveOwner)
          if (people.length === 0) return <Empty title={text.none}>{text.noneHint}</Empty>
          return (
            <Paper withBorder px="md" py="xs" radius="md">
              <Listing
                label={text.title}
                minWidth={900}
                rows={people}
                keyOf={({ user_id }) => user_id}
                columns={[
                  {
                    label: staffStrings.name,
                    width: 230,
                    by: ({ name }) => name,
                    cell: (person) => <Who person={person} />
                  },
                  {
                    label: staffStrings.role,
                    width: 110,
                    by: ({ role }) => staffStrings.roles[role],
                    cell: ({ limits = {}, role }) => (
                      <>
                        {staffStrings.roles[role]}
                        {limitWords(limits).length === 0 ? undefined : (
                          <Note size="xs">{staffStrings.limits.ofPerson(limitWords(limits).join(", "))}</Note>
                        )}
                      </>
                    )
                  },
                  {
                    label: staffStrings.programs,
                    cell: (person) => <Limited person={person} />
                  },
                  {
                    label: text.status,
                    by: ({ status }) => text.statuses[status],
                    cell: ({ invitation_ends_at: endsAt, passkeys, role_gone_at: goneAt, status }) => (
                      <>
                        <Status tone={goneAt === undefined ? tones[status] : "neutral"}>{text.statuses[status]}</Status>
                        <Note size="xs">{text.passkeys(passkeys.length)}</Note>
                        {goneAt === undefined ? undefined : (
                          <Note size="xs">{text.roleGone(timeShort(goneAt, zone))}</Note>
                        )}
                        {endsAt === undefined ? undefined : (
                          <Note size="xs">
                            {Date.parse(endsAt) > Date.now()
                              ? text.invitedUntil(timeShort(endsAt, zone))
                              : text.invitationOver}
                          </Note>
                        )}
                      </>
                    )
                  },
                  {
                    label: `${text.lastSeen} (${zone})`,
                    by: ({ last_seen_at }) => last_seen_at,
                    cell: ({ last_seen_at }) =>
                      last_seen_at === undefined ? staffStrings.never : timeShort(last_seen_at, zone)
                  },
                  {
                    label: "",
                    width: 230,
                    cell: (person) =>
                      mayChange && given.includes(person.role) ? (
                        <Actions
                          person={person}
                          mayGo={!isActiveOwner(person) || owners.length > 1}
                          told={told}
                          said={said}
                        />
                      ) : undefined
                  }
                ]}
              />
            </Paper>
          )
        }}
      </Shown>
      <RoleWords />
      {may("listLimits") ? <Limits /> : undefined}
      {may("putBusiness") && isUnlimited ? <OwnLook /> : undefined}
    </Stack>
  )
}

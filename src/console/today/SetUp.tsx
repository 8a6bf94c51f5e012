/** For a session of the admin key: makes the first owner, or, once there is one, tells that the key is for emergencies. */

import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { keepInvitation } from "../account/invitation.ts"
import type { Person } from "../people/staff.ts"
import { isActiveOwner, staffClient, useStaff } from "../people/staff.ts"
import { accountLanguage } from "../shared/account.ts"
import { call, keyed, Worded } from "../shared/client.ts"
import { useOnce } from "../shared/form/once.ts"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { faultAt, Refused } from "../shared/States.tsx"
import { staffStrings } from "../shared/staffStrings.ts"

const text = staffStrings.setUp

/** Puts a field beside others, if there is room. */
const beside = { wrapperProps: { "data-plain": "true" } }

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

const inviteAgain = (user_id: string) => call(staffClient.staff.inviteUserAgain({ params: { user_id } }))

const FirstOwner = ({ people }: { readonly people: ReadonlyArray<Person> }) => {
  const navigate = useNavigate()
  const once = useOnce()
  const queries = useQueryClient()
  const invited = people.filter(({ role, status }) => role === "owner" && status === "invited")
  const [typed, setTyped] = useState({ name: invited[0]?.name ?? "", email: invited[0]?.email ?? "" })
  const [name, email] = [typed.name.trim(), typed.email.trim()]
  const begin = useMutation({
    mutationFn: async () => {
      const payload = { name, email, role: "owner" as const, language: accountLanguage }
      const known = invited.find((one) => isSame(one.email, email))
      const { invitation_url, user } =
        known === undefined
          ? await call(keyed(once.keyOf(payload), staffClient.staff.inviteUser({ payload })))
          : await inviteAgain(known.user_id)
      // A repeated request is answered without the address.
      const url = invitation_url ?? (await inviteAgain(user.user_id)).invitation_url
      if (url === undefined) throw new Worded(text.lost)
      return url
    },
    onSuccess: (url) => {
      // Somebody who comes back without a passkey begins with who is invited now.
      queries.removeQueries({ queryKey: ["staff"] })
      // Passkeys belong to the service's own address.
      if (new URL(url).origin !== location.origin) return location.assign(url)
      keepInvitation(url)
      return navigate({ to: "/invitation" })
    }
  })
  return (
    <Panel title={text.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          begin.mutate()
        }}
      >
        <Stack>
          <Text size="sm">{text.hint}</Text>
          {invited.map((one) => (
            <Alert key={one.user_id} color="yellow" role="status">
              {text.unfinished(one.name)}
            </Alert>
          ))}
          <div className="fields">
            <TextInput
              {...beside}
              label={staffStrings.name}
              autoComplete="name"
              required
              maxLength={128}
              value={typed.name}
              onChange={({ currentTarget }) => setTyped({ ...typed, name: currentTarget.value })}
              error={faultAt(begin.error, "/name", typed.name)}
            />
            <TextInput
              {...beside}
              label={staffStrings.email}
              type="email"
              autoComplete="email"
              required
              value={typed.email}
              onChange={({ currentTarget }) => setTyped({ ...typed, email: currentTarget.value })}
              error={faultAt(begin.error, "/email", typed.email)}
            />
          </div>
          <Refused error={begin.error} isPlaced={(path) => path === "/name" || path === "/email"} entered={typed} />
          <Group>
            <Button type="submit" loading={begin.isPending} disabled={name === "" || email === ""}>
              {text.submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}

export const SetUp = () => {
  const { data } = useStaff()
  if (data === undefined) return undefined
  return data.some(isActiveOwner) ? <Note>{text.emergency}</Note> : <FirstOwner people={data} />
}

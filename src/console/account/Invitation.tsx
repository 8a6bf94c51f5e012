/** The page that an invitation leads to: makes a passkey and signs in. */
import { Alert, Button, Stack, Text, TextInput } from "@mantine/core"
import { useMutation, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { Passkeys } from "../../contract/admin/Passkeys.ts"
import { accountLanguage } from "../shared/account.ts"
import { call, client, Failure } from "../shared/client.ts"
import { Facts } from "../shared/Facts.tsx"
import { timeShort } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { useBusinessName } from "../shared/look.ts"
import { ButtonLink } from "../shared/PageLink.tsx"
import { Failed, faultAt, Loading, Refused } from "../shared/States.tsx"
import { useEnter, useSessionQuery } from "../shared/session.tsx"
import { staffStrings } from "../shared/staffStrings.ts"
import { thisDevice } from "./device.ts"
import { forgetInvitation, useInvitation } from "./invitation.ts"
import { LanguageInput } from "./LanguageInput.tsx"
import { makePasskey } from "./passkeys.ts"
import { RoleDoes } from "./RoleDoes.tsx"

const admin = client(Passkeys)

const text = staffStrings.invitation

/** Time for which the browser's options are surely still taken, ms. The service takes them for 5 minutes. */
const optionsMs = 240_000

const show = async (invitation: string) => ({
  shown: await call(admin.passkeys.showInvitation({ payload: { invitation } })),
  until: Date.now() + optionsMs
})

const Useless = ({ title, hint }: { readonly title: string; readonly hint: string }) => (
  <Stack>
    <Alert color="yellow" title={title} role="alert">
      {hint}
    </Alert>
    <ButtonLink to="/" replace variant="default">
      {text.toSignIn}
    </ButtonLink>
  </Stack>
)

const uselessBy = {
  not_found: [text.used, text.usedHint],
  expired: [text.ended, text.endedHint],
  validation_failed: [text.noSecret, text.noSecretHint],
  invalid_state: [text.refused, text.refusedHint]
} as const

/** Why an invitation cannot be used, and what to do. */
const Why = ({ error, retry }: { readonly error: unknown; readonly retry: () => void }) => {
  if (!(error instanceof Failure)) return <Failed error={error} retry={retry} />
  switch (error.code) {
    case "not_found":
    case "expired":
    case "validation_failed":
    case "invalid_state": {
      const [title, hint] = uselessBy[error.code]
      return <Useless title={title} hint={hint} />
    }
    default:
      return <Failed error={error} retry={retry} />
  }
}

/** The zone of the browser: there is no programme yet whose zone could be read. */
const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions()

const Accept = ({ secret }: { readonly secret: string }) => {
  const enter = useEnter()
  const navigate = useNavigate()
  const session = useSessionQuery()
  const [name, setName] = useState(thisDevice)
  const [isTried, setTried] = useState(false)
  const query = useQuery({
    // Not read again after the session begins: the invitation is used then.
    queryKey: ["session", "invitation", secret],
    queryFn: () => show(secret),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0
  })
  const accept = useMutation({
    mutationFn: async () => {
      const known = query.data
      // Options work once.
      const { shown } = known === undefined || isTried || Date.now() > known.until ? await show(secret) : known
      setTried(true)
      const credential = await makePasskey(shown.options)
      const payload = { invitation: secret, name: name.trim(), credential, language: accountLanguage }
      return call(admin.passkeys.acceptInvitation({ payload }))
    },
    onSuccess: async (opened) => {
      forgetInvitation()
      await enter(opened)
      await navigate({ to: "/", replace: true })
    }
  })
  if (query.data === undefined)
    return query.error === null ? <Loading /> : <Why error={query.error} retry={() => void query.refetch()} />
  const { shown } = query.data
  if (accept.error instanceof Failure && ["not_found", "expired", "invalid_state"].includes(accept.error.code ?? ""))
    return <Why error={accept.error} retry={() => accept.reset()} />
  const other = session.data?.user === undefined ? undefined : session.data.name
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        accept.mutate()
      }}
    >
      <Stack>
        <Text>{text.hint}</Text>
        <Facts
          facts={[
            [text.who, <bdi key="name">{shown.name}</bdi>],
            [staffStrings.email, <bdi key="email">{shown.email}</bdi>],
            [staffStrings.role, <RoleDoes key="role" role={shown.role} limits={shown} />],
            [text.until, timeShort(shown.ends_at, zone)]
          ]}
        />
        {other === undefined || accept.isPending || accept.isSuccess ? undefined : (
          <Alert color="yellow">{text.otherSession(other)}</Alert>
        )}
        <TextInput
          label={text.name}
          description={text.nameHint}
          required
          maxLength={128}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={faultAt(accept.error, "/name", name)}
        />
        <Refused error={accept.error} isPlaced={(path) => path === "/name"} entered={name} />
        <Button type="submit" loading={accept.isPending} disabled={name.trim() === ""} data-autofocus>
          {text.create}
        </Button>
      </Stack>
    </form>
  )
}

/** The page that is loaded anew takes the secret from the address again. */
const keepSecret = (secret: string): void => history.replaceState(history.state, "", `#${secret}`)

export const Invitation = () => {
  const secret = useInvitation()
  return (
    <Stack mt="sm">
      <Heading>{text.title(useBusinessName())}</Heading>
      {secret === undefined ? (
        <Useless title={text.noSecret} hint={text.noSecretHint} />
      ) : (
        <Accept key={secret} secret={secret} />
      )}
      {secret === undefined ? <LanguageInput /> : <LanguageInput leave={() => keepSecret(secret)} />}
    </Stack>
  )
}

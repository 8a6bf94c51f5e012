import { Alert, Anchor, Checkbox, Group, NativeSelect, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Token } from "../../contract/admin/Tokens.ts"
import { Revocation, TokenRequest, Tokens as TokensGroup } from "../../contract/admin/Tokens.ts"
import type { Scope } from "../../contract/Scopes.ts"
import { scopes as everyScope, mayHandOn, workScopes } from "../../contract/Scopes.ts"
import { RestaurantLimitsInput } from "../people/RestaurantLimitsInput.tsx"
import { call, client, Failure } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Field, useListField } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { ProgramsInput } from "../shared/form/ProgramsInput.tsx"
import { ReasonDialog } from "../shared/form/ReasonDialog.tsx"
import { timeShort } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useNames, useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { restaurantWords } from "../shared/restaurantWords.ts"
import { Empty, Shown } from "../shared/States.tsx"
import { Status } from "../shared/Status.tsx"
import { useIsRoot, useMay, useSession } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { SandboxClock } from "./Clock.tsx"
import { Connectors } from "./Connectors.tsx"
import { developerStrings } from "./developerStrings.ts"
import type { JustIssued } from "./SecretDialog.tsx"
import { SecretDialog } from "./SecretDialog.tsx"
import { Tills } from "./Tills.tsx"

const admin = client(TokensGroup)

const text = developerStrings
const surfaces: Readonly<Record<string, string>> = text.surfaces
const accesses: Readonly<Record<string, string>> = text.accesses

type Issued = typeof Token.Type

type Told = (issued: JustIssued) => void

const isWork = (scope: Scope): boolean => workScopes.some((one) => one === scope)

const choice = (scope: Scope) => (
  <Checkbox key={scope} value={scope} label={text.scopeWords[scope]} description={scope} />
)

/** A function that tells whether the session may hand on a scope, and so issue or rotate a token that has it. */
const useMayIssue = (): ((scope: Scope) => boolean) => {
  const held = new Set(useSession().scopes)
  const isRoot = useIsRoot()
  return (scope) => isRoot || mayHandOn(held, scope)
}

const ScopesInput = () => {
  const { error, onChange, value } = useListField("/scopes")
  const offered = everyScope.filter(useMayIssue())
  return (
    <Checkbox.Group
      label={text.scopes}
      description={offered.includes("protocol:write") ? text.noScope : text.noTillScope}
      value={value}
      onChange={onChange}
      error={error}
    >
      <Stack gap="xs" mt="xs">
        {offered.filter((scope) => !isWork(scope)).map(choice)}
        {offered.some(isWork) ? (
          // Open where there is nothing else to choose.
          <details open={offered.every(isWork)}>
            <summary>{text.singleScopes}</summary>
            <Stack gap="xs" mt="xs">
              {offered.filter(isWork).map(choice)}
            </Stack>
          </details>
        ) : undefined}
      </Stack>
    </Checkbox.Group>
  )
}

const Create = ({ told }: { readonly told: Told }) => {
  const { programs } = useSession()
  const refresh = useRefresh("tokens")
  return (
    <FormDialog
      label={text.create}
      schema={TokenRequest}
      start={{ programs }}
      keepsInput
      send={(payload) => admin.tokens.createToken({ payload })}
      done={(issued) => {
        told(issued)
        refresh()
      }}
    >
      {({ scopes }) => (
        <>
          <Field at="/name" label={text.createName} input={{ maxLength: 128 }} />
          <ScopesInput />
          <ProgramsInput at="/programs" label={text.programs} hint={text.programsHint} />
          <RestaurantLimitsInput />
          {scopes === undefined ? <Note>{text.chooseScope}</Note> : undefined}
        </>
      )}
    </FormDialog>
  )
}

/** Seconds for which a rotated token's old secret still works. */
const usualOverlap = 86_400

const Rotate = ({ token, told }: { readonly token: Issued; readonly told: Told }) => {
  const refresh = useRefresh("tokens")
  const [overlap, setOverlap] = useState(usualOverlap)
  return (
    <ChangeDialog
      label={text.rotate}
      done={refresh}
      begin={() => setOverlap(usualOverlap)}
      run={async () => {
        const { token_id } = token
        try {
          const payload = { overlap_seconds: overlap }
          told(await call(admin.tokens.rotateToken({ params: { token_id }, payload })))
        } catch (error) {
          // The token may have been rotated nevertheless.
          refresh()
          throw error
        }
      }}
    >
      {(error: unknown) => (
        <>
          <Alert title={strings.member.preview}>{text.rotatePreview(token.name)}</Alert>
          <NativeSelect
            label={text.overlap}
            description={text.overlapHint}
            value={String(overlap)}
            data={Object.entries(text.overlaps).map(([value, label]) => ({ value, label }))}
            onChange={({ currentTarget }) => setOverlap(Number(currentTarget.value))}
          />
          {error instanceof Failure && error.unanswered !== undefined ? (
            <Alert color="yellow">{text.rotateLost}</Alert>
          ) : undefined}
        </>
      )}
    </ChangeDialog>
  )
}

const Revoke = ({ token: { name, token_id } }: { readonly token: Issued }) => (
  <ReasonDialog
    label={text.revoke}
    isDangerous
    preview={text.revokePreview(name)}
    done={useRefresh("tokens")}
    schema={Revocation}
    send={(payload) => admin.tokens.revokeToken({ params: { token_id }, payload })}
  />
)

const canChange = ({ created_at, status }: Issued): boolean =>
  created_at !== undefined && (status === "active" || status === "rotating")

const accessText = (scope: Scope): string => {
  const access = scope.split(":")[1] ?? ""
  return accesses[access] ?? access
}

/** A token's scopes, one line for each surface. */
const scopesText = ({ scopes }: Issued): ReadonlyArray<string> =>
  Object.entries(Object.groupBy(scopes, (scope) => scope.split(":")[0] ?? scope)).map(([surface, of = []]) =>
    text.scopesOf(surfaces[surface] ?? surface, of.map(accessText).join(", "))
  )

const tones = { active: "good", rotating: "waiting", revoked: "neutral", expired: "neutral" } as const

const Tokens = () => {
  const may = useMay()
  const mayIssue = useMayIssue()
  const zone = useZone()
  const names = useNames()
  const [issued, told] = useState<JustIssued>()
  const tokens = useQuery({ queryKey: ["tokens"], queryFn: () => call(admin.tokens.tokens()) })
  return (
    <Panel title={text.tokens} actions={may("createToken") ? <Create told={told} /> : undefined}>
      <SecretDialog
        issued={issued}
        title={text.secretTitle}
        hint={text.secretHint}
        lost={text.secretLost}
        close={() => told(undefined)}
      />
      <Shown query={tokens}>
        {({ tokens: rows }) =>
          rows.length === 0 ? (
            <Empty title={text.noTokens} />
          ) : (
            <Listing
              label={text.tokens}
              minWidth={760}
              rows={rows}
              keyOf={({ token_id }) => token_id}
              columns={[
                {
                  label: text.name,
                  by: ({ name }) => name,
                  cell: ({ created_at, hint, name }) => (
                    <>
                      <bdi>{name}</bdi>
                      <Note size="xs" fw={400}>
                        {created_at === undefined ? text.environment : text.secretEnds(hint ?? "")}
                      </Note>
                    </>
                  )
                },
                {
                  label: text.scopes,
                  cell: (token) => scopesText(token).map((line) => <div key={line}>{line}</div>)
                },
                {
                  label: text.programs,
                  cell: (token) => (
                    <>
                      {token.programs?.map(names.program).join(", ") ?? text.allPrograms}
                      {restaurantWords(token) === undefined ? undefined : (
                        <Note size="xs">{restaurantWords(token)}</Note>
                      )}
                    </>
                  )
                },
                {
                  label: text.status,
                  by: ({ status }) => text.statuses[status],
                  cell: ({ expires_at, status }) => (
                    <>
                      <Status tone={tones[status]}>{text.statuses[status]}</Status>
                      {expires_at === undefined ? undefined : (
                        <Note size="xs">{text.until(timeShort(expires_at, zone))}</Note>
                      )}
                    </>
                  )
                },
                {
                  label: `${text.lastUsed} (${zone})`,
                  by: ({ last_used_at }) => last_used_at,
                  // Of the environment's tokens no use is kept.
                  cell: ({ created_at, last_used_at }) =>
                    created_at === undefined
                      ? text.notKept
                      : last_used_at === undefined
                        ? text.never
                        : timeShort(last_used_at, zone)
                },
                {
                  label: "",
                  cell: (token) =>
                    may("rotateToken") && canChange(token) ? (
                      <Group gap="xs" wrap="nowrap">
                        {token.scopes.every(mayIssue) ? <Rotate token={token} told={told} /> : undefined}
                        <Revoke token={token} />
                      </Group>
                    ) : undefined
                }
              ]}
            />
          )
        }
      </Shown>
    </Panel>
  )
}

export const Developers = () => {
  const may = useMay()
  return (
    <Stack>
      <Heading help="developers">{text.title}</Heading>
      <Text>
        {text.docs}{" "}
        <Anchor href="/docs" underline="always">
          {text.docsLink}
        </Anchor>
        .
      </Text>
      {may("requests") ? (
        <Text>
          {text.requests}{" "}
          <PageLink to="/developers/requests" underline="always">
            {text.requestsLink}
          </PageLink>
          .
        </Text>
      ) : undefined}
      {may("listConnections") ? <Tills /> : undefined}
      <Tokens />
      <SandboxClock />
      {may("listConnectors") ? <Connectors /> : undefined}
    </Stack>
  )
}

/** States of a page: while loading, after a failure, and when it is empty. */

import { Alert, Anchor, Button, Center, Stack, Text } from "@mantine/core"
import type { UseQueryResult } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { sessionPath } from "../../contract/admin/Sessions.ts"
import type { LimitReached } from "../../contract/protocol/Problem.ts"
import { limitsIn } from "../../contract/RestaurantLimits.ts"
import type { Operation, Scope } from "../../contract/Scopes.ts"
import { allows, askedFor } from "../../contract/Scopes.ts"
import { Failure, faultsOf, mayPass, Worded } from "./client.ts"
import { Gone } from "./files.ts"
import { number } from "./format.ts"
import type { SignedIn } from "./session.tsx"
import { useSession, useSessionIfAny } from "./session.tsx"
import { strings } from "./strings.ts"
import { foreseenProblem, problemSentence } from "./words/problems.ts"
import { labelOf, pathInWords } from "./words/words.ts"

const { states } = strings

/** True if a change was refused because its version is stale. */
export const isOutdated = (error: unknown): boolean =>
  faultsOf(error).some(({ path }) => path === "/expected_version" || path === "/seen")

const limitWords = ({ allowed, left, name }: LimitReached): string => states.limits[name](number(allowed), number(left))

const rolesOf = ({ roles }: LimitReached): string => roles.map(labelOf).join(", ")

/** A failure as a sentence for people. */
export const sentenceOf = (error: unknown): string => {
  if (error instanceof Worded) return error.message
  // Files of the console that did not come.
  if (error instanceof Gone) return states.updated
  if (error instanceof TypeError && /fetch|module|load failed/i.test(error.message)) return states.unreachable
  if (!(error instanceof Failure)) return states.unexpected
  if (error.unanswered === "unreachable") return states.unreachable
  if (error.unanswered === "unavailable") return states.unavailable
  if (error.problem === undefined) return states.unexpected
  const { code, limit } = error.problem
  const errors = faultsOf(error)
  if (limit !== undefined) return states.limited(limitWords(limit), rolesOf(limit))
  if (isOutdated(error)) return states.outdated
  if (code === "unauthorized")
    return error.problem.instance.startsWith(sessionPath)
      ? states.notSignedIn(problemSentence(code, error.problem))
      : states.ended
  if (errors.length === 0) return problemSentence(code, error.problem)
  return `${errors.map(({ message, path }) => `${pathInWords(path, undefined)} ${message}`.trim()).join("; ")}.`
}

/** Why a change that nobody has sent yet would fail. */
export const foreseenSentenceOf = (error: unknown): string => {
  const problem = error instanceof Failure ? error.problem : undefined
  if (problem === undefined) return sentenceOf(error)
  const { code, limit } = problem
  if (limit !== undefined) return states.beyond(limitWords(limit), rolesOf(limit))
  return code === "unauthorized" || faultsOf(error).length > 0 ? sentenceOf(error) : foreseenProblem(code, problem)
}

/** Refused values, by the path of their field, as JSON. */
const refused = new WeakMap<Failure, Map<string, string | undefined>>()

/** True while a field has the value that was refused, which is the one that it first shows the message with. */
const isRefused = (error: unknown, path: string, value: unknown): boolean => {
  if (!(error instanceof Failure)) return false
  const values = refused.get(error) ?? new Map<string, string | undefined>()
  refused.set(error, values)
  const now = JSON.stringify(value)
  if (!values.has(path)) values.set(path, now)
  return values.get(path) === now
}

/** The messages at a field and within it, joined, while it has the value that was refused. `path`: its JSON Pointer. */
export const faultsWithin = (error: unknown, path: string, value: unknown): string | undefined => {
  const within = faultsOf(error).filter((fault) => fault.path === path || fault.path.startsWith(`${path}/`))
  if (within.length === 0 || !isRefused(error, path, value)) return undefined
  return within.map(({ message }) => message).join("; ")
}

/** The message at a field while it has the value that was refused. `path`: its JSON Pointer. */
export const faultAt = (error: unknown, path: string, value: unknown): string | undefined => {
  const fault = faultsOf(error).find((one) => one.path === path)
  return fault !== undefined && isRefused(error, path, value) ? fault.message : undefined
}

/** True if a refusal names faults, and each is shown at its field. */
export const areAllPlaced = (error: unknown, isPlaced: (path: string) => boolean = () => false): boolean => {
  const faults = faultsOf(error)
  return faults.length > 0 && faults.every(({ path }) => isPlaced(path))
}

interface RefusedProps {
  readonly error: unknown
  /** True if the fault at a path is shown at its field. */
  readonly isPlaced?: (path: string) => boolean
  /** The input: the fields alone show their faults once it is not the refused one. */
  readonly entered?: unknown
}

/** Why a change failed, if it did. */
export const Refused = ({ entered, error, isPlaced }: RefusedProps) => {
  if (error === null || error === undefined) return undefined
  const isAtFields = areAllPlaced(error, isPlaced)
  if (isAtFields && !isRefused(error, "", entered)) return undefined
  return (
    <Alert color="red" role="alert">
      {isAtFields ? states.atFields : sentenceOf(error)}
    </Alert>
  )
}

/** The places of what is not there yet. `isWhole`: of a page, with its heading. `index.html` has their styles. */
export const Loading = ({ isWhole = false }: { readonly isWhole?: boolean }) => (
  <div className={isWhole ? "bones whole" : "bones"} role="status" aria-label={states.loading}>
    <span />
    <span />
    <span />
  </div>
)

/** The places of a page. */
export const LoadingPage = () => <Loading isWhole />

/** The frame and the places of its page, as `index.html` has them before the first file has come. */
export const LoadingFrame = () => (
  <div className="begin">
    <header />
    <nav />
    <main>
      <LoadingPage />
    </main>
  </div>
)

export const Failed = ({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) => {
  const session = useSessionIfAny()
  const isPerson = session?.user !== undefined
  const isForbidden = error instanceof Failure && error.code === "forbidden"
  const isOver = error instanceof Failure && error.code === "unauthorized"
  // Of limited people the answer alone tells whether it is for the role or for the limit.
  const isByRole = isForbidden && isPerson && limitsIn(session) === undefined
  return (
    <Alert
      color={isForbidden ? "yellow" : "red"}
      title={isByRole ? states.roleForbids : isForbidden && !isPerson ? states.forbidden : states.failed}
      role="alert"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{isOver ? states.signedOut : isByRole ? states.roleLacks : sentenceOf(error)}</Text>
        {isForbidden && !isPerson ? <Text size="sm">{states.forbiddenHint}</Text> : undefined}
        {retry === undefined || !mayPass(error) ? undefined : (
          <Button size="xs" variant="default" onClick={retry}>
            {states.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** True if a session may not use a route for its limit to restaurants alone. */
const isByLimit = (session: SignedIn, operation: Operation): boolean => {
  const asked = askedFor(operation)
  return limitsIn(session) !== undefined && asked !== undefined && allows(new Set<Scope>(session.scopes), asked)
}

/** Shown instead of a page that the session may not read. */
export const Forbidden = ({ to }: { readonly to: Operation }) => {
  const session = useSession()
  const isPerson = session.user !== undefined
  const isLimited = isByLimit(session, to)
  const [title, why] = isLimited
    ? [states.limitForbids, states.limitLacks]
    : isPerson
      ? [states.roleForbids, states.roleLacks]
      : [states.forbidden, states.lacks(askedFor(to)?.scope ?? "")]
  return (
    <Alert color="yellow" title={title} role="alert">
      <Text size="sm">{why}</Text>
      {isLimited && to === "listClosings" ? (
        <Text size="sm" mt="xs">
          {states.ownRows}{" "}
          <Anchor href="/docs/franchisees" size="sm" underline="always">
            {states.ownRowsGuide}
          </Anchor>
        </Text>
      ) : undefined}
    </Alert>
  )
}

/** An empty page: says so, and what to do. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <Center py="xl">
    <Stack gap={4} align="center">
      <Text fw={600} ta="center">
        {title}
      </Text>
      <Text size="sm" c="dimmed" component="div" ta="center">
        {children}
      </Text>
    </Stack>
  </Center>
)

/** Dims what is no answer to the present question, and says that it is looked for. */
const Current = ({ children, isOld }: { readonly isOld: boolean; readonly children: ReactNode }) => (
  <div className={isOld ? "current old" : "current"} aria-busy={isOld}>
    {children}
    {isOld ? (
      <span role="status" className="looking">
        {states.looking}
      </span>
    ) : undefined}
  </div>
)

/** Shows a query's data. Keeps it if a later request fails, and dims what was found for another question. */
export const Shown = <A,>({
  children,
  isOld = false,
  query
}: {
  readonly query: Pick<UseQueryResult<A>, "data" | "error" | "isPlaceholderData" | "refetch">
  /** True while the question has changed and is not asked yet. */
  readonly isOld?: boolean
  readonly children: (data: A) => ReactNode
}) => {
  const { data, error, refetch } = query
  if (data === undefined) return error === null ? <Loading /> : <Failed error={error} retry={() => void refetch()} />
  return (
    <>
      {error === null ? undefined : <Failed error={error} retry={() => void refetch()} />}
      <Current isOld={isOld || query.isPlaceholderData}>{children(data)}</Current>
    </>
  )
}

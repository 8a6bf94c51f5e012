/**
 * The page's session. If it ends during work, the sign-in opens above the page, so that
 * no input is lost.
 */
import type { QueryClient } from "@tanstack/react-query"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { createContext, useContext, useEffect } from "react"
import type { Session } from "../../contract/admin/Sessions.ts"
import { SessionGroup } from "../../contract/admin/Sessions.ts"
import { limitedPages } from "../../contract/LimitedPages.ts"
import { limitsIn } from "../../contract/RestaurantLimits.ts"
import type { Operation, Scope } from "../../contract/Scopes.ts"
import { allows, askedFor, mayGive } from "../../contract/Scopes.ts"
import { call, client, Failure, keepCsrfToken, renewBy } from "./client.ts"
import { strings } from "./strings.ts"
import { tell } from "./told.ts"

const admin = client(SessionGroup)

export type SignedIn = typeof Session.Type

const key = ["session"]

const current = async (): Promise<SignedIn | null> => {
  try {
    const session = await call(admin.session.session())
    keepCsrfToken(session.csrf_token)
    return session
  } catch (error) {
    if (error instanceof Failure && error.code === "unauthorized") return null
    throw error
  }
}

export const useSessionQuery = () => useQuery({ queryKey: key, queryFn: current, staleTime: Number.POSITIVE_INFINITY })

/** Facts that decide which data a session sees. */
const sightOf = ({ name, programs, scopes, user, ...session }: SignedIn): string =>
  JSON.stringify([name, user?.user_id, programs, scopes, limitsIn(session)])

/** Makes the page work with a session. True if it sees other data than the one before. */
const enter = async (queries: QueryClient, session: SignedIn): Promise<boolean> => {
  keepCsrfToken(session.csrf_token)
  // A read from before the sign-in would put its refusal in place of this session.
  await queries.cancelQueries({ queryKey: key, exact: true })
  const before = queries.getQueryData<SignedIn | null>(key)
  queries.setQueryData(key, session)
  if (before !== undefined && before !== null && sightOf(before) === sightOf(session)) return false
  await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" })
  return true
}

/** A function that makes the page work with a session that has just been opened. */
export const useEnter = () => {
  const queries = useQueryClient()
  return async (session: SignedIn): Promise<void> => void (await enter(queries, session))
}

/** Reads after a refusal what the session may do now: it may be less. A page leaves out what it may not. */
export const readAccessAgain = async (queries: QueryClient): Promise<void> => {
  const session = await current()
  if (session === null || !queries.getQueryData<SignedIn | null>(key)) return
  if (await enter(queries, session)) tell(strings.states.accessChanged)
}

/** Takes the session which another tab has opened, with its CSRF token, before a call is told that the former one failed. */
export const useRenewal = (): void => {
  const queries = useQueryClient()
  useEffect(
    () =>
      renewBy(async () => {
        const session = await current()
        if (session !== null) await enter(queries, session)
      }),
    [queries]
  )
}

/** How people sign in here, besides passkeys. */
export const signInWays = () => call(admin.session.signInWays())

/** A function that opens a session with a key. */
export const useSignIn = () => {
  const enter = useEnter()
  return async (secret: string): Promise<void> => enter(await call(admin.session.signIn({ payload: { key: secret } })))
}

export const useSignOut = () => {
  const queries = useQueryClient()
  return async (): Promise<void> => {
    await call(admin.session.signOut())
    keepCsrfToken(undefined)
    queries.clear()
    location.assign("/console")
  }
}

const SessionContext = createContext<SignedIn | undefined>(undefined)

export const SessionProvider = ({
  session,
  children
}: {
  readonly session: SignedIn
  readonly children: ReactNode
}) => <SessionContext value={session}>{children}</SessionContext>

export const useSession = (): SignedIn => {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error("a page is shown to the signed-in alone")
  return session
}

/** The session, also on pages that need none. */
export const useSessionIfAny = (): SignedIn | undefined => useContext(SessionContext)

/** True for a session that is limited to restaurants. */
export const useIsLimited = (): boolean => limitsIn(useSession()) !== undefined

/** True for a session of the admin key, which may do everything. */
export const useIsRoot = (): boolean => {
  const { name, user } = useSession()
  return user === undefined && name === "root"
}

/** A function that tells whether the session may use a route. Pages leave out what they may not do. */
export const useMay = (): ((operation: Operation) => boolean) => {
  const session = useSession()
  const held = new Set<Scope>(session.scopes)
  const isLimited = limitsIn(session) !== undefined
  return (operation) => {
    const asked = askedFor(operation)
    return asked !== undefined && allows(held, asked) && (!isLimited || limitedPages.has(operation))
  }
}

/** Whether the session may give points or rewards by a surface, as a part of another change. */
export const useMayGive = (surface: "admin" | "platform"): boolean =>
  mayGive(new Set<Scope>(useSession().scopes), surface)

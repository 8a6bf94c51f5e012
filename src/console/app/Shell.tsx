/** The frame of every page: the session, the navigation and the page. */
import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  getDefaultZIndex,
  NativeSelect,
  NavLink,
  Paper,
  Text,
  Title,
  useComputedColorScheme,
  useMantineColorScheme
} from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import type { Query } from "@tanstack/react-query"
import { useQueryClient } from "@tanstack/react-query"
import { Link, Navigate, Outlet, useLocation, useMatch, useNavigate } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { Suspense, useEffect, useState } from "react"
import type { Operation } from "../../contract/Scopes.ts"
import { signedInPath } from "../account/signedIn.ts"
import { Failure } from "../shared/client.ts"
import { useConnection, useIsFrozen, useIsLost } from "../shared/connection.ts"
import { fetchAhead } from "../shared/files.ts"
import { Dialog } from "../shared/form/Dialog.tsx"
import { later } from "../shared/Later.tsx"
import { takesUp } from "../shared/language.ts"
import { useBusinessName } from "../shared/look.ts"
import { PageLink } from "../shared/PageLink.tsx"
import { useProgramId, useProgramList } from "../shared/program.tsx"
import { Failed, Forbidden, Loading, LoadingFrame } from "../shared/States.tsx"
import {
  SessionProvider,
  useIsLimited,
  useMay,
  useRenewal,
  useSession,
  useSessionQuery,
  useSignOut
} from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { firstPageOf } from "./firstPage.ts"
import type { IconName } from "./Icons.tsx"
import { Icon } from "./Icons.tsx"
import { Band, Brand } from "./Look.tsx"
import { Told } from "./Told.tsx"

const { nav } = strings

const pages: ReadonlyArray<{
  readonly to: string
  readonly name: Exclude<IconName, "account" | "docs">
  readonly shows: Operation
  /** Another content without which the page is none. */
  readonly also?: Operation
  /** True: of sessions that are limited to restaurants alone; others have more on other pages. */
  readonly isOfLimited?: boolean
}> = [
  { to: "/restaurants", name: "restaurants", shows: "restaurantFigures", isOfLimited: true },
  { to: "/today", name: "today", shows: "overview" },
  // Needs both rights. Callers that are limited to restaurants have a page of their own.
  { to: "/counter", name: "counter", shows: "issueMemberReward", also: "listMembers" },
  { to: "/finance", name: "finance", shows: "listClosings" },
  { to: "/members", name: "members", shows: "listMembers" },
  { to: "/audience", name: "audience", shows: "listSegments" },
  { to: "/programme", name: "programme", shows: "listProgramVersions" },
  { to: "/developers", name: "developers", shows: "tokens" },
  { to: "/service", name: "service", shows: "freeze" },
  { to: "/people", name: "people", shows: "listStaff" },
  { to: "/audit", name: "audit", shows: "audit" }
]

/** Height of the bar on a sandbox, and of the one while writes are frozen, pixels. */
const barHeight = 26

const isAt = (pathname: string, to: string): boolean => pathname.startsWith(to)

/** Content of an address. Forms for changes need more. */
const needsOf = (pathname: string): ReadonlyArray<Operation> => [
  ...pages
    .filter(({ to }) => isAt(pathname, to))
    .flatMap(({ also, shows }) => (also === undefined ? [shows] : [shows, also])),
  ...(/^\/audience\/.*\/(new|edit)$/.test(pathname) ? ["putSegment" as const] : [])
]

const ColourSwitch = () => {
  const { setColorScheme } = useMantineColorScheme()
  const other = useComputedColorScheme("light") === "light" ? "dark" : "light"
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={other === "dark" ? nav.dark : nav.light}
      onClick={() => setColorScheme(other)}
    >
      <svg width="18" height="18" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
        {other === "dark" ? (
          <path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z" />
        ) : (
          <path d="M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10zM11 1h2v4h-2zm0 18h2v4h-2zM1 11h4v2H1zm18 0h4v2h-4z" />
        )}
      </svg>
    </ActionIcon>
  )
}

const ProgramSelect = () => {
  const { data } = useProgramList()
  const id = useProgramId()
  const navigate = useNavigate()
  if (data === undefined || data.length < 2 || id === undefined) return undefined
  return (
    <NativeSelect
      aria-label={nav.program}
      value={id}
      data={data.map(({ name, program_id }) => ({ value: program_id, label: name }))}
      onChange={({ currentTarget }) => void navigate({ to: ".", search: { program: currentTarget.value } })}
    />
  )
}

/** How long a page with nothing to fetch is taken as done, ms. */
const aheadMs = 2_000

const codeOf = (error: unknown): string | undefined => (error instanceof Failure ? error.code : undefined)

/** Events that the caches of reads and writes tell alike. */
interface Heard {
  readonly type: string
  readonly action?: { readonly type: string; readonly error?: unknown }
}

const hasFailed = ({ state }: Query): boolean => state.error !== null

/** True after a call is refused because the session has ended, until the next sign-in. */
const useHasEnded = (): readonly [boolean, () => void] => {
  const queries = useQueryClient()
  const [hasEnded, setEnded] = useState(false)
  useRenewal()
  useEffect(() => {
    const hear = ({ action, type }: Heard): void => {
      if (type !== "updated" || action?.type !== "error") return
      const { error } = action
      const code = codeOf(error)
      const isOutdated = error instanceof Failure && error.isOutdated
      if (code === "unauthorized" && !isOutdated) setEnded(true)
      if (code === "unauthorized" && isOutdated) void queries.invalidateQueries({ predicate: hasFailed })
    }
    const reads = queries.getQueryCache().subscribe(hear)
    const writes = queries.getMutationCache().subscribe(hear)
    return () => {
      reads()
      writes()
    }
  }, [queries])
  return [hasEnded, () => setEnded(false)]
}

/** Follows the language of the account into a page that has just begun: one that is open may have input. */
const useLanguageOfAccount = (): void => {
  const [language] = useState(useSession().user?.language)
  useEffect(() => {
    if (takesUp(language)) location.reload()
  }, [language])
}

const SessionName = () => {
  const session = useSession()
  return session.user === undefined ? (
    <Text size="sm" c="dimmed" visibleFrom="xs">
      {session.name}
    </Text>
  ) : (
    <PageLink
      to="/account"
      visibleFrom="xs"
      maw="16rem"
      truncate
      c="inherit"
      underline="always"
      dir="auto"
      title={nav.account}
    >
      {session.name}
    </PageLink>
  )
}

/** Over the page, which keeps its input. */
const SignInAgain = () => {
  const session = useSession()
  const queries = useQueryClient()
  const [hasEnded, began] = useHasEnded()
  const business = useBusinessName()
  return (
    <Dialog
      opened={hasEnded}
      onClose={() => undefined}
      withCloseButton={false}
      title={strings.signIn.title(business)}
      // Above a page's dialog, which comes later in the document.
      zIndex={getDefaultZIndex("overlay")}
    >
      <Suspense fallback={<Loading />}>
        <SignInForm
          hint={strings.signIn.ended}
          isKeyFirst={session.user === undefined}
          done={() => {
            began()
            void queries.invalidateQueries({ predicate: hasFailed })
          }}
        />
      </Suspense>
    </Dialog>
  )
}

/** Goes to the page that the session begins with. */
const Begin = ({ shown }: { readonly shown: typeof pages }) => {
  const first = firstPageOf(useSession().user?.role, shown)
  return first === undefined ? <Forbidden to="overview" /> : <Navigate to={first.to} search={true} replace />
}

const Frame = () => {
  useLanguageOfAccount()
  const [isOpen, { toggle, close }] = useDisclosure()
  const session = useSession()
  const may = useMay()
  const signOut = useSignOut()
  const { pathname } = useLocation()
  const isLost = useIsLost()
  const isFrozen = useIsFrozen()
  const bars = [...(session.sandbox === true ? ["sandbox" as const] : []), ...(isFrozen ? ["frozen" as const] : [])]
  useFilesAhead()
  const isLimited = useIsLimited()
  const shown = pages.filter(
    ({ also, isOfLimited = false, shows }) =>
      may(shows) && (also === undefined || may(also)) && (isLimited || !isOfLimited)
  )
  const lacking = needsOf(pathname).find((operation) => !may(operation))
  const isCurrent = (to: string) => isAt(pathname, to)
  return (
    <AppShell
      header={{ height: 56 + bars.length * barHeight + (isLost ? 48 : 0) }}
      navbar={{ width: 200, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a href="#page" className="skip">
        {nav.skip}
      </a>
      <AppShell.Header pt={isLost ? 48 : 0}>
        {bars.map((name) => (
          <Text key={name} role="status" className={`bar ${name}`} h={barHeight} lh={`${barHeight}px`}>
            {nav[name]}
          </Text>
        ))}
        <Group h={56} px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0} style={{ flex: "1 1 0" }}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label={nav.menu}
              aria-expanded={isOpen}
            />
            <Brand />
            <ProgramSelect />
          </Group>
          <Group gap="xs" wrap="nowrap" style={{ flexShrink: 0 }}>
            <SessionName />
            <ColourSwitch />
            <Button variant="default" size="xs" onClick={() => void signOut()}>
              {nav.signOut}
            </Button>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar
        p="xs"
        className={isOpen ? "pages" : "pages closed"}
        onKeyDown={({ key }) => {
          if (key === "Escape") close()
        }}
        aria-label={nav.label}
      >
        {shown.map(({ name, to }) => (
          <NavLink
            key={to}
            component={Link}
            to={to}
            label={nav[name]}
            leftSection={<Icon name={name} />}
            active={isCurrent(to)}
            aria-current={isCurrent(to) ? "page" : undefined}
            onClick={close}
          />
        ))}
        {session.user === undefined ? undefined : (
          <NavLink
            component={Link}
            to="/account"
            label={nav.account}
            leftSection={<Icon name="account" />}
            active={isCurrent("/account")}
            aria-current={isCurrent("/account") ? "page" : undefined}
            onClick={close}
            hiddenFrom="xs"
          />
        )}
        <NavLink href="/docs" label={nav.docs} leftSection={<Icon name="docs" />} mt="auto" />
      </AppShell.Navbar>
      <AppShell.Main id="page" className="page">
        {pathname === "/" ? <Begin shown={shown} /> : lacking === undefined ? <Outlet /> : <Forbidden to={lacking} />}
      </AppShell.Main>
      <Told />
      <SignInAgain />
    </AppShell>
  )
}

/** A page before sign-in. */
const Entrance = ({ children }: { readonly children: ReactNode }) => (
  <main className="entrance page">
    <Paper withBorder p="xl" radius="md" maw={420} w="100%">
      <Group gap="sm" wrap="nowrap">
        <Brand />
      </Group>
      {children}
    </Paper>
  </main>
)

/** Most pages open with a session, and need none. */
const SignInForm = later(() => import("../account/SignInForm.tsx"), "SignInForm")

/** Says above every page that the service does not answer. */
const Lost = () =>
  useIsLost() ? (
    <div className="lost" role="alert">
      {strings.states.lost}
    </div>
  ) : undefined

/** Fetches the files of other pages once the first one has what it shows. */
const useFilesAhead = () => {
  const queries = useQueryClient()
  const isLost = useIsLost()
  useEffect(() => {
    if (isLost) return
    let stop: (() => void) | undefined
    const timer = setInterval(() => {
      if (queries.isFetching() > 0) return
      clearInterval(timer)
      stop = fetchAhead()
    }, aheadMs)
    return () => {
      clearInterval(timer)
      stop?.()
    }
  }, [isLost, queries])
}

/** The page that makes a passkey for somebody who cannot sign in yet. */
export const invitationPath = "/invitation"

export const Shell = () => {
  useConnection()
  // The frame of before the first file is in the way of what is there now.
  useEffect(() => document.getElementById("begin")?.remove(), [])
  return (
    <>
      <Band />
      <Lost />
      <Inside />
    </>
  )
}

const Inside = () => {
  const session = useSessionQuery()
  const business = useBusinessName()
  // Not by the address, which changes before the page that is left is gone.
  const isInvitation = useMatch({ from: invitationPath, shouldThrow: false }) !== undefined
  const isSigningIn = useMatch({ from: signedInPath, shouldThrow: false }) !== undefined
  if (isInvitation || isSigningIn)
    return (
      <Entrance>
        <Outlet />
      </Entrance>
    )
  if (session.data === undefined) {
    return session.error === null ? (
      <LoadingFrame />
    ) : (
      <Failed error={session.error} retry={() => void session.refetch()} />
    )
  }
  if (session.data === null)
    return (
      <Entrance>
        <Title order={1} size="h2" mt="sm" mb="sm">
          {strings.signIn.title(business)}
        </Title>
        <Suspense fallback={<Loading />}>
          <SignInForm />
        </Suspense>
      </Entrance>
    )
  return (
    <SessionProvider session={session.data}>
      <Frame />
    </SessionProvider>
  )
}

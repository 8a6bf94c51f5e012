/** Matters that need attention, each with a link to its remedy, or none. Checks only what the session may read. */
import { Alert, Anchor, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import type { Overview } from "../../../contract/admin/Overview.ts"
import type { Connector } from "../../../contract/platform/Connectors.ts"
import { Connectors } from "../../../contract/platform/Connectors.ts"
import type { Import } from "../../../contract/platform/Imports.ts"
import { Imports } from "../../../contract/platform/Imports.ts"
import { attentionStrings } from "../../app/attentionStrings.ts"
import { call, client } from "../../app/client.ts"
import { stateOf } from "../../app/connectorState.ts"
import { number, time, timeShort } from "../../app/format.ts"
import { useLocationList, useLocationName } from "../../app/locations.ts"
import { useProgramList, useProgramQuery, useZone } from "../../app/program.tsx"
import { useMay } from "../../app/session.tsx"
import { PageLink } from "../../ui/PageLink.tsx"
import type { Item } from "./attentionItem.ts"
import { linkStyle } from "./attentionItem.ts"
import { audienceItem, giftItem, guestItem, moveItem, orderItem, useStandOut } from "./StandOut.tsx"
import { silentDays } from "./silence.ts"

const platform = client(Connectors, Imports)

const text = attentionStrings

const refreshMs = 15_000
/** Most items of a kind that are named. */
const mostShown = 5
/** Imports that failed are named for so long, ms. */
const importMs = 7 * 86_400_000
/** Figures so far behind are late, ms. The service updates them within a second. */
const lateMs = 60_000

const connectorItem = ({ connector_id, health, name }: Connector, zone: string): Item => ({
  key: `connector ${connector_id}`,
  link: (
    <PageLink to="/developers/connectors/$connector_id" params={{ connector_id }} {...linkStyle}>
      {name}
    </PageLink>
  ),
  told:
    health.disabled_reason === undefined
      ? text.connector.failing(time(health.failing_since ?? "", zone))
      : health.disabled_reason === "gone"
        ? text.connector.gone
        : text.connector.stopped
})

const importItem = ({ created_at, failed, import_id, status }: Import, zone: string): Item => ({
  key: `import ${import_id}`,
  link: (
    <PageLink to="/audience/imports/$import_id" params={{ import_id }} {...linkStyle}>
      {text.importOf(timeShort(created_at, zone))}
    </PageLink>
  ),
  told: status === "failed" ? text.importFailed : text.rowsFailed(number(failed), failed)
})

const useConnectors = () =>
  useQuery({
    queryKey: ["connectors", "troubles"],
    enabled: useMay()("listConnectors"),
    refetchInterval: refreshMs,
    queryFn: async () =>
      (await call(platform.platform_connectors.listConnectors({ query: { limit: "200" } }))).connectors.filter((one) =>
        ["failing", "stopped"].includes(stateOf(one, undefined))
      )
  })

/** The newest imports with failed rows. */
const useImports = () => {
  const program = useProgramQuery()
  const may = useMay()
  return useQuery({
    queryKey: ["imports", "troubles", program],
    enabled: may("listImports") && program !== undefined,
    refetchInterval: refreshMs,
    queryFn: async () =>
      (
        (await call(platform.platform_imports.listImports({ query: { ...program, limit: "50" } }))).imports ?? []
      ).filter(({ failed }) => failed > 0)
  })
}

/** The first of them, and a link to the others. */
const firstOf = <One,>(
  all: ReadonlyArray<One>,
  itemOf: (one: One) => Item,
  kind: string,
  more: (label: string) => ReactNode
): ReadonlyArray<Item> => [
  ...all.slice(0, mostShown).map(itemOf),
  ...(all.length > mostShown
    ? [{ key: `more ${kind}`, link: more(text.andMore(all.length - mostShown)), told: "" }]
    : [])
]

const toRestaurants = (label: string) => (
  <Anchor size="sm" href="#restaurants" {...linkStyle}>
    {label}
  </Anchor>
)

/** The overview's notes on itself. */
const ownItems = (
  { as_of, program_id, service }: Overview,
  answeredAt: number,
  isRetired: boolean,
  zone: string,
  mayOpenDevelopers: boolean
) => {
  const isSandbox = service.environment === "sandbox"
  // A sandbox's clock says nothing about how late its figures are.
  const isLate = !isSandbox && answeredAt - Date.parse(as_of) > lateMs
  const items: ReadonlyArray<Item | undefined> = [
    isLate
      ? {
          key: "late",
          link: (
            <Anchor size="sm" href="/docs/analytics" {...linkStyle}>
              {text.figures}
            </Anchor>
          ),
          told: text.late(time(as_of, zone))
        }
      : undefined,
    isRetired
      ? {
          key: `retired ${program_id}`,
          link: (
            <PageLink to="/programme" {...linkStyle}>
              {text.programme}
            </PageLink>
          ),
          told: text.retired
        }
      : undefined,
    isSandbox
      ? {
          key: "sandbox",
          link: mayOpenDevelopers ? (
            <PageLink to="/developers" {...linkStyle}>
              {text.service}
            </PageLink>
          ) : (
            text.service
          ),
          told: text.sandbox,
          isNotice: true
        }
      : undefined
  ]
  return items.filter((one) => one !== undefined)
}

export const Attention = (props: {
  readonly overview: Overview
  /** When the service answered, ms, by its machine's clock. */
  readonly answeredAt: number
  /** The write freeze and its button; undefined: writes are allowed. */
  readonly freeze: ReactNode
}) => {
  const { answeredAt, freeze, overview } = props
  const zone = useZone()
  const may = useMay()
  const checks = {
    connectors: useConnectors(),
    imports: useImports(),
    locations: useLocationList(),
    programs: useProgramList(),
    standOut: useStandOut()
  }
  const { connectors, imports, locations, programs, standOut } = checks
  const nameOf = useLocationName()
  const now = Date.parse(overview.as_of)
  const isRetired = programs.data?.find(({ program_id }) => program_id === overview.program_id)?.status === "retired"
  // The list of restaurants is beside the charts.
  const places = may("analytics") ? (locations.data?.locations ?? []).filter(({ closed }) => closed !== true) : []
  const items = [
    ...ownItems(overview, answeredAt, isRetired, zone, may("tokens")),
    ...firstOf(
      connectors.data ?? [],
      (one) => connectorItem(one, zone),
      "connectors",
      (label) => (
        <PageLink to="/developers" {...linkStyle}>
          {label}
        </PageLink>
      )
    ),
    ...firstOf(
      (imports.data ?? []).filter(({ created_at }) => now - Date.parse(created_at) < importMs),
      (one) => importItem(one, zone),
      "imports",
      (label) => (
        <PageLink to="/audience/imports" {...linkStyle}>
          {label}
        </PageLink>
      )
    ),
    ...firstOf(standOut.data?.audiences ?? [], audienceItem, "audiences", (label) => (
      <PageLink to="/audience/campaigns" {...linkStyle}>
        {label}
      </PageLink>
    )),
    ...firstOf(
      places.flatMap((one) => {
        const days = silentDays(one, now, zone)
        return days === undefined ? [] : [{ ...one, days }]
      }),
      ({ days, location_id, name }): Item => ({
        key: `silent ${location_id}`,
        link: toRestaurants(name ?? location_id),
        told: text.silent(days)
      }),
      "restaurants",
      toRestaurants
    ),
    ...firstOf(
      [...(standOut.data?.guests ?? []).entries()],
      ([place, one]) => guestItem(overview.program_id, one, place, nameOf),
      "guests",
      (label) => label
    ),
    ...firstOf(
      standOut.data?.orders ?? [],
      (one) => orderItem(overview.program_id, one, zone),
      "orders",
      (label) => label
    ),
    ...firstOf(
      standOut.data?.gifts ?? [],
      (one) => giftItem(overview.program_id, one, zone),
      "gifts",
      (label) =>
        may("audit") ? (
          <PageLink to="/audit" search={{ action: "member.adjust" }} {...linkStyle}>
            {label}
          </PageLink>
        ) : (
          label
        )
    ),
    ...firstOf(
      [...(standOut.data?.moves ?? []).entries()],
      ([place, one]) => moveItem(overview.program_id, one, place, zone),
      "moves",
      (label) => label
    )
  ]
  const unknown = (Object.keys(text.parts) as ReadonlyArray<keyof typeof checks>).filter((key) => checks[key].isError)
  const isLooking = Object.values(checks).some(({ isLoading }) => isLoading)
  const isNothing = items.length === 0 && unknown.length === 0
  const faults = items.filter(({ isNotice }) => isNotice !== true)
  return (
    <>
      {freeze}
      {isNothing && freeze !== undefined ? undefined : (
        <Alert
          color={faults.length > 0 ? "red" : isNothing ? (isLooking ? "gray" : "indigo") : "yellow"}
          role="status"
          title={isNothing ? (isLooking ? text.looking : text.nothing) : text.title}
        >
          {isNothing ? undefined : (
            <Stack gap={4} align="flex-start">
              {items.map(({ key, link, told }) => (
                <Text key={key} size="sm" component="div">
                  {link} {told}
                </Text>
              ))}
              {unknown.length === 0 ? undefined : (
                <Text size="sm">{text.unknown(unknown.map((key) => text.parts[key]).join(", "))}</Text>
              )}
            </Stack>
          )}
        </Alert>
      )}
    </>
  )
}

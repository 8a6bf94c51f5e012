/** Matters that need attention, each with a link to its remedy, or none. Checks only what the session may read. */
import { Alert, Anchor, Button, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { useState } from "react"
import type { Location } from "../../contract/admin/Locations.ts"
import type { Overview } from "../../contract/admin/Overview.ts"
import type { Connector } from "../../contract/platform/Connectors.ts"
import { Connectors } from "../../contract/platform/Connectors.ts"
import type { Import } from "../../contract/platform/Imports.ts"
import { Imports } from "../../contract/platform/Imports.ts"
import { stateOf } from "../developers/connectorState.ts"
import { needsAttention } from "../imports/needsAttention.ts"
import { call, client } from "../shared/client.ts"
import { number, time, timeShort } from "../shared/format.ts"
import { useLocationList, useLocationName } from "../shared/locations.ts"
import { PageLink } from "../shared/PageLink.tsx"
import { useProgramList, useProgramQuery, useZone } from "../shared/program.tsx"
import { useMay } from "../shared/session.tsx"
import type { Item } from "./attentionItem.ts"
import { linkStyle } from "./attentionItem.ts"
import { attentionStrings } from "./attentionStrings.ts"
import { audienceItem, giftItem, guestItem, moveItem, orderItem, receiptItem, useStandOut } from "./StandOut.tsx"
import { silentDays } from "./silence.ts"
import { figuresPath } from "./todaySearch.ts"

const platform = client(Connectors, Imports)

const text = attentionStrings

const refreshMs = 15_000
/** Most items of a kind that are named. */
const mostShown = 5
/** Items shown before the button for the others. */
const mostLines = 6
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

/** The newest imports with failed rows, but those that were taken back. */
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
      ).filter(needsAttention)
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

const linkTo = (to: "/developers" | "/audience/imports" | "/audience/campaigns") => (label: string) => (
  <PageLink to={to} {...linkStyle}>
    {label}
  </PageLink>
)

const toAdjustments = (label: string) => (
  <PageLink to="/audit" search={{ action: "member.adjust" }} {...linkStyle}>
    {label}
  </PageLink>
)

const toRestaurants = (label: string) => (
  <PageLink to={figuresPath} hash="restaurants" {...linkStyle}>
    {label}
  </PageLink>
)

/** Open restaurants without orders on days when they usually have some. */
const silentOf = (all: ReadonlyArray<Location>, now: number, zone: string) =>
  all.flatMap((one) => {
    const days = one.closed === true ? undefined : silentDays(one, now, zone)
    return days === undefined ? [] : [{ ...one, days }]
  })

const silentItem = ({ days, location_id, name }: Location & { readonly days: number }): Item => ({
  key: `silent ${location_id}`,
  link: toRestaurants(name ?? location_id),
  told: text.silent(days)
})

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

const useChecks = () => ({
  connectors: useConnectors(),
  imports: useImports(),
  locations: useLocationList(),
  programs: useProgramList(),
  standOut: useStandOut()
})

type Checks = ReturnType<typeof useChecks>

const useItems = (overview: Overview, answeredAt: number, checks: Checks): ReadonlyArray<Item> => {
  const { connectors, imports, locations, programs, standOut } = checks
  const zone = useZone()
  const may = useMay()
  const nameOf = useLocationName()
  const { program_id } = overview
  const now = Date.parse(overview.as_of)
  const isRetired = programs.data?.find((one) => one.program_id === program_id)?.status === "retired"
  // The list of restaurants is beside the charts.
  const places = may("analytics") ? (locations.data?.locations ?? []) : []
  const newest = (imports.data ?? []).filter(({ created_at }) => now - Date.parse(created_at) < importMs)
  const { audiences = [], gifts = [], guests = [], moves = [], orders = [], receipts = [] } = standOut.data ?? {}
  return [
    ...ownItems(overview, answeredAt, isRetired, zone, may("tokens")),
    ...firstOf(connectors.data ?? [], (one) => connectorItem(one, zone), "connectors", linkTo("/developers")),
    ...firstOf(newest, (one) => importItem(one, zone), "imports", linkTo("/audience/imports")),
    ...firstOf(audiences, audienceItem, "audiences", linkTo("/audience/campaigns")),
    ...firstOf(silentOf(places, now, zone), silentItem, "restaurants", toRestaurants),
    ...firstOf(
      [...guests.entries()],
      ([place, one]) => guestItem(program_id, one, place, nameOf),
      "guests",
      (label) => label
    ),
    ...firstOf(
      receipts,
      (one) => receiptItem(program_id, one, zone),
      "receipts",
      (label) => label
    ),
    ...firstOf(
      orders,
      (one) => orderItem(program_id, one, zone),
      "orders",
      (label) => label
    ),
    ...firstOf(
      gifts,
      (one) => giftItem(program_id, one, zone),
      "gifts",
      (label) => (may("audit") ? toAdjustments(label) : label)
    ),
    ...firstOf(
      [...moves.entries()],
      ([place, one]) => moveItem(program_id, one, place, zone),
      "moves",
      (label) => label
    )
  ]
}

/** The matters, or that there are none. `unknown`: parts whose check failed. */
const Matters = (props: {
  readonly items: ReadonlyArray<Item>
  readonly unknown: ReadonlyArray<keyof Checks>
  readonly isLooking: boolean
}) => {
  const { isLooking, items, unknown } = props
  const [isWhole, setWhole] = useState(false)
  if (items.length === 0 && unknown.length === 0)
    return <Alert color={isLooking ? "gray" : "indigo"} role="status" title={isLooking ? text.looking : text.nothing} />
  const hasFaults = items.some(({ isNotice }) => isNotice !== true)
  const shown = isWhole || items.length <= mostLines + 1 ? items : items.slice(0, mostLines)
  return (
    <Alert color={hasFaults ? "red" : "yellow"} role="status" title={text.title}>
      <Stack gap={4} align="flex-start">
        {shown.map(({ key, link, told }) => (
          <Text key={key} size="sm" component="div">
            {link} {told}
          </Text>
        ))}
        {shown.length < items.length ? (
          <Button variant="default" size="compact-sm" onClick={() => setWhole(true)}>
            {text.showAll(items.length)}
          </Button>
        ) : undefined}
        {unknown.length === 0 ? undefined : (
          <Text size="sm">{text.unknown(unknown.map((key) => text.parts[key]).join(", "))}</Text>
        )}
      </Stack>
    </Alert>
  )
}

export const Attention = (props: {
  readonly overview: Overview
  /** When the service answered, ms, by its machine's clock. */
  readonly answeredAt: number
}) => {
  const { answeredAt, overview } = props
  const checks = useChecks()
  const items = useItems(overview, answeredAt, checks)
  const unknown = (Object.keys(text.parts) as ReadonlyArray<keyof Checks>).filter((key) => checks[key].isError)
  const isLooking = Object.values(checks).some(({ isLoading }) => isLoading)
  const isNothing = items.length === 0 && unknown.length === 0
  // The page tells above that writes are frozen.
  if (isNothing && overview.service.write_frozen) return undefined
  return <Matters items={items} unknown={unknown} isLooking={isLooking} />
}

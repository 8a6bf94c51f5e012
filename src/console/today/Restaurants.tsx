/** The restaurants by name, when each had its newest order, and which have fallen silent. */
import { Checkbox, Group, NativeSelect, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { locationStrings } from "../restaurants/locationStrings.ts"
import { call, keyed } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { calendarDay, localDay, startOfDay, timeShort } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import type { Location } from "../shared/locations.ts"
import { nameLocation, useLocationList } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { Empty, faultAt, Shown } from "../shared/States.tsx"
import { Status } from "../shared/Status.tsx"
import { useMay, useSession } from "../shared/session.tsx"
import { titleOf } from "../shared/spreadsheets/csv.ts"
import { SaveFigures } from "../shared/spreadsheets/SaveFigures.tsx"
import { strings } from "../shared/strings.ts"
import { timeZones } from "../shared/timeZones.ts"
import { zonedTime } from "../shared/zonedTime.ts"
import { entriesOf, Parties, partiesOf } from "./Parties.tsx"
import { silentDays } from "./silence.ts"

const text = locationStrings

/** A restaurant as it is typed. */
const typedOf = (location: Location | undefined) => ({
  location_id: location?.location_id ?? "",
  name: location?.name ?? "",
  address: location?.address ?? "",
  brand: location?.brand ?? "",
  time_zone: location?.time_zone ?? "",
  closed: location?.closed ?? false,
  ...partiesOf(location)
})

const payloadOf = (typed: ReturnType<typeof typedOf>) => {
  const { brands, closed, franchisees, location_id, name, ...others } = typed
  const given = Object.entries(others).flatMap(([key, value]) =>
    value.trim() === "" ? [] : [[key, value.trim()] as const]
  )
  return {
    location_id: location_id.trim(),
    name: name.trim(),
    ...Object.fromEntries(given),
    ...(closed ? { closed: true as const } : {}),
    ...entriesOf({ franchisees, brands })
  }
}

const Edit = ({ location }: { readonly location?: Location }) => {
  const refresh = useRefresh("locations")
  const zone = useZone()
  const stored = typedOf(location)
  const [typed, setTyped] = useState(stored)
  const field = (name: Exclude<keyof typeof typed, "closed" | "franchisees" | "brands">, error: unknown) => ({
    value: typed[name],
    error: faultAt(error, `/${name}`, typed[name]),
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      setTyped({ ...typed, [name]: currentTarget.value })
  })
  return (
    <ChangeDialog
      label={location === undefined ? text.add : text.rename}
      {...(location === undefined ? {} : { name: `${text.rename} ${location.name ?? location.location_id}` })}
      submit={location === undefined ? text.addSubmit : text.save}
      told={strings.states.saved(typed.name.trim())}
      begin={() => setTyped(stored)}
      isReady={
        typed.name.trim() !== "" &&
        typed.location_id.trim() !== "" &&
        [...typed.franchisees, ...typed.brands].every(({ from }) => from !== "")
      }
      done={refresh}
      run={async (keyOf) => {
        const payload = payloadOf(typed)
        return call(keyed(keyOf(payload), nameLocation(payload)))
      }}
    >
      {(error: unknown) => (
        <>
          {location === undefined ? (
            <TextInput
              label={text.id}
              description={text.idHint}
              required
              maxLength={128}
              {...field("location_id", error)}
            />
          ) : (
            <Text size="sm">{`${text.id}: ${location.location_id}`}</Text>
          )}
          <TextInput label={text.name} description={text.nameHint} required maxLength={512} {...field("name", error)} />
          <TextInput label={text.address} maxLength={512} {...field("address", error)} />
          <TextInput label={text.brand} maxLength={512} {...field("brand", error)} />
          <NativeSelect
            label={text.zone}
            data={[
              { value: "", label: text.programZone(zone) },
              ...new Set([stored.time_zone, ...timeZones].filter((one) => one !== ""))
            ]}
            {...field("time_zone", error)}
          />
          <Parties value={typed} onChange={(parties) => setTyped({ ...typed, ...parties })} error={error} />
          {location === undefined ? undefined : (
            <Checkbox
              label={text.closed}
              description={text.closedHint}
              checked={typed.closed}
              onChange={({ currentTarget }) => setTyped({ ...typed, closed: currentTarget.checked })}
            />
          )}
        </>
      )}
    </ChangeDialog>
  )
}

/** When it had its newest order, and how exactly that is known. */
const lastOrderOf = ({ last_order_at: at, last_order_on: day }: Location, zone: string) =>
  at !== undefined
    ? [zonedTime(at, zone), text.toQuarter]
    : day !== undefined
      ? [zonedTime(startOfDay(day, zone), zone), text.toDay]
      : [undefined, undefined]

/** The entry that holds on a day; undefined: none yet. */
const inForce = <A extends { readonly from: string }>(entries: ReadonlyArray<A> | undefined, day: string) =>
  entries?.findLast(({ from }) => from <= day)

/** As a file has them. */
const rowsOf = (
  locations: ReadonlyArray<Location>,
  silent: (location: Location) => number | undefined,
  zone: string,
  today: string
) => [
  [
    text.name,
    text.id,
    text.brand,
    text.address,
    text.zone,
    text.lastOrder(zone),
    text.exactTo,
    text.silentDays,
    text.closed,
    text.franchiseeOf(today),
    text.brandOf(today)
  ],
  ...locations.map((one) => [
    one.name,
    one.location_id,
    one.brand,
    one.address,
    one.time_zone,
    ...lastOrderOf(one, zone),
    silent(one),
    one.closed === true ? text.closed : undefined,
    inForce(one.franchisees, today)?.franchisee_id,
    inForce(one.brands, today)?.brand_id
  ])
]

/** `now`: the service's time, which a sandbox has its own of. */
export const Restaurants = ({ now }: { readonly now: string }) => {
  const list = useLocationList()
  const zone = useZone()
  const may = useMay()
  const { programs } = useSession()
  // Names are of all programmes.
  const mayName = may("putLocation") && programs === undefined
  const silent = (location: Location) =>
    location.closed === true ? undefined : silentDays(location, Date.parse(now), zone)
  const [areClosedShown, setClosedShown] = useState(false)
  const all = list.data?.locations ?? []
  const found = all.filter(({ closed }) => closed !== true)
  const today = localDay(now, zone)
  return (
    <Panel
      title={text.title}
      actions={
        <Group gap="xs">
          {all.length === 0 ? undefined : (
            <SaveFigures
              title={text.title}
              file={titleOf(text.title, { program: list.data?.program_id ?? "", from: today, to: today })}
              rows={() => rowsOf(all, silent, zone, today)}
            />
          )}
          {mayName ? <Edit /> : undefined}
        </Group>
      }
    >
      {found.length < 2 ? undefined : (
        <Note>{text.counted(found.length, found.filter((one) => silent(one) !== undefined).length)}</Note>
      )}
      {found.length === all.length ? undefined : (
        <Checkbox
          size="xs"
          my="xs"
          label={text.showClosed(all.length - found.length)}
          checked={areClosedShown}
          onChange={({ currentTarget }) => setClosedShown(currentTarget.checked)}
        />
      )}
      <Shown query={list}>
        {({ locations }) =>
          locations.length === 0 ? (
            <Empty title={text.none}>{text.noneHint}</Empty>
          ) : (
            <Listing
              label={text.title}
              minWidth={560}
              rows={areClosedShown ? locations : found}
              keyOf={({ location_id }) => location_id}
              columns={[
                {
                  label: text.name,
                  by: ({ location_id, name }) => name ?? location_id,
                  cell: ({ address, brand, location_id, name }) => (
                    <>
                      <bdi>{name ?? location_id}</bdi>
                      <Note size="xs" fw={400}>
                        {[name === undefined ? text.unnamed : location_id, brand, address]
                          .filter((one) => one !== undefined)
                          .join(" · ")}
                      </Note>
                    </>
                  )
                },
                {
                  label: text.lastOrder(zone),
                  by: ({ last_order_at, last_order_on }) => last_order_at ?? last_order_on,
                  cell: ({ last_order_at, last_order_on }) =>
                    last_order_at === undefined
                      ? last_order_on === undefined
                        ? text.never
                        : calendarDay(last_order_on)
                      : text.about(timeShort(last_order_at, zone))
                },
                {
                  label: text.silent,
                  by: silent,
                  cell: (location) => {
                    const days = silent(location)
                    if (location.closed === true) return <Status tone="neutral">{text.closed}</Status>
                    return days === undefined ? undefined : <Status tone="bad">{text.silentHint(days)}</Status>
                  }
                },
                { label: "", cell: (location) => (mayName ? <Edit location={location} /> : undefined) }
              ]}
            />
          )
        }
      </Shown>
    </Panel>
  )
}

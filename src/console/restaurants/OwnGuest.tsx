/** A guest who is looked up by a card, an address or an order, as a restaurant may see one. */
import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { OneMember } from "../../contract/admin/Members.ts"
import { type RestaurantGuest, RestaurantGuests } from "../../contract/platform/RestaurantGuest.ts"
import { memberStrings } from "../guests/memberStrings.ts"
import { call, client, Failure, keyed } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { NumberField } from "../shared/form/NumberField.tsx"
import { Reason } from "../shared/form/Reason.tsx"
import { signed, timeShort } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { useLocationName, useOpenLocations } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { useNames, useProgramId, useProgramQuery, useZone } from "../shared/program.tsx"
import { Empty, faultAt, sentenceOf } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { locationStrings } from "./locationStrings.ts"

const platform = client(RestaurantGuests)
const admin = client(OneMember)

const text = locationStrings.own

interface Asked {
  readonly known_by?: string
  readonly order_id?: string
}

const Give = (props: { readonly guest: RestaurantGuest; readonly asked: Asked; readonly done: () => void }) => {
  const { asked, done, guest } = props
  const program_id = useProgramId() ?? ""
  const locations = useOpenLocations()
  const [typed, setTyped] = useState({ amount: "" as number | string, location: "", reason: "" })
  const location_id = typed.location === "" ? locations[0]?.location_id : typed.location
  return (
    <ChangeDialog
      label={text.give}
      isReady={Number.isInteger(typed.amount) && typed.amount !== 0 && typed.reason !== ""}
      begin={() => setTyped({ amount: "", location: "", reason: "" })}
      told={text.done}
      done={done}
      run={async (keyOf) => {
        const facts = {
          amount: Number(typed.amount),
          classification: "service_recovery" as const,
          reason: typed.reason,
          qualifies_for_tier: false,
          ...(location_id === undefined ? {} : { location_id }),
          ...(asked.known_by === undefined ? {} : { known_by: asked.known_by })
        }
        const key = keyOf({ member: guest.member_id, ...facts })
        const payload = { ...facts, adjustment_id: `console-${key}` }
        return call(
          keyed(key, admin.member.adjustMember({ params: { program_id, member_id: guest.member_id }, payload }))
        )
      }}
    >
      {(error: unknown) => (
        <>
          <NumberField
            label={text.amount}
            required
            hasSign
            value={typed.amount}
            onChange={(amount) => setTyped({ ...typed, amount })}
            error={faultAt(error, "/amount", typed.amount)}
          />
          {locations.length < 2 ? undefined : (
            <NativeSelect
              label={text.restaurant}
              value={location_id ?? ""}
              data={locations.map((one) => ({ value: one.location_id, label: one.name ?? one.location_id }))}
              onChange={({ currentTarget }) => setTyped({ ...typed, location: currentTarget.value })}
              error={faultAt(error, "/location_id", location_id)}
            />
          )}
          <Reason value={typed.reason} onChange={(reason) => setTyped({ ...typed, reason })} error={error} />
        </>
      )}
    </ChangeDialog>
  )
}

const Found = (props: { readonly guest: RestaurantGuest; readonly asked: Asked; readonly done: () => void }) => {
  const { balances, elsewhere, entries, member_id } = props.guest
  const names = useNames()
  const may = useMay()
  const zone = useZone()
  const nameOf = useLocationName()
  return (
    <Stack gap="xs" mt="md">
      <Group justify="space-between">
        <Text fw={600}>{member_id}</Text>
        {may("adjustMember") ? <Give {...props} /> : undefined}
      </Group>
      {balances.map(({ amount, unit }) => (
        <div key={unit}>
          <Text>{`${text.balance}: ${names.amount(amount, unit)}`}</Text>
          <Note>{text.elsewhere(signed(elsewhere.find((one) => one.unit === unit)?.amount ?? 0))}</Note>
        </div>
      ))}
      {entries.length === 0 ? (
        <Empty title={text.noEntries}>{text.noEntriesHint}</Empty>
      ) : (
        <Listing
          label={text.entries}
          minWidth={500}
          rows={entries}
          keyOf={({ entry_id }) => entry_id}
          columns={[
            { label: `${text.when} (${zone})`, cell: ({ occurred_at }) => timeShort(occurred_at, zone) },
            { label: text.what, cell: ({ operation }) => memberStrings.operations[operation] },
            { label: text.restaurant, cell: ({ location_id = "" }) => <bdi>{nameOf(location_id)}</bdi> },
            { label: text.points, isNumber: true, cell: ({ amount }) => signed(amount) }
          ]}
        />
      )}
    </Stack>
  )
}

export const OwnGuest = () => {
  const program = useProgramQuery()
  const [known, setKnown] = useState("")
  const [order, setOrder] = useState("")
  const look = useMutation({
    mutationFn: (asked: Asked) =>
      call(platform.platform_restaurant_guests.restaurantGuest({ query: { ...program, ...asked } }))
  })
  const asked: Asked = known.trim() === "" ? { order_id: order.trim() } : { known_by: known.trim() }
  const isUnknown = look.error instanceof Failure && look.error.code === "not_found"
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          look.mutate(asked)
        }}
      >
        <Group align="flex-end">
          <TextInput label={text.known} value={known} onChange={({ currentTarget }) => setKnown(currentTarget.value)} />
          <TextInput
            label={text.order}
            value={order}
            disabled={known.trim() !== ""}
            onChange={({ currentTarget }) => setOrder(currentTarget.value)}
          />
          <Button type="submit" loading={look.isPending} disabled={known.trim() === "" && order.trim() === ""}>
            {text.look}
          </Button>
        </Group>
      </form>
      <div role="status">
        {look.error === null ? undefined : <Text mt="sm">{isUnknown ? text.unknown : sentenceOf(look.error)}</Text>}
      </div>
      {look.data === undefined || look.variables === undefined ? undefined : (
        <Found guest={look.data} asked={look.variables} done={() => look.mutate(look.variables)} />
      )}
    </>
  )
}

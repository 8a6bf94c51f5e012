/** A guest who is looked up by a card, an address or an order, as a restaurant may see one. */
import { Button, Group, Stack, Text, TextInput } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { Schema } from "effect"
import { useState } from "react"
import { Adjustment, OneMember } from "../../contract/admin/Members.ts"
import { type RestaurantGuest, RestaurantGuests } from "../../contract/platform/RestaurantGuest.ts"
import { memberStrings } from "../guests/memberStrings.ts"
import { call, client, Failure } from "../shared/client.ts"
import { Field, ReasonField } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { signed, timeShort } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { useLocationName, useOpenLocations } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { useNames, useProgramId, useProgramQuery, useZone } from "../shared/program.tsx"
import { Empty, sentenceOf } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { locationStrings } from "./locationStrings.ts"

const platform = client(RestaurantGuests)
const admin = client(OneMember)

const text = locationStrings.own

interface Asked {
  readonly known_by?: string
  readonly order_id?: string
}

const { adjustment_id: _, ...facts } = Adjustment.fields

/** A gift: its id follows from the rest, so that the same one is given once however often it is sent. */
const Gift = Schema.Struct(facts)

const Give = (props: { readonly guest: RestaurantGuest; readonly asked: Asked; readonly done: () => void }) => {
  const { asked, done, guest } = props
  const params = { program_id: useProgramId() ?? "", member_id: guest.member_id }
  const locations = useOpenLocations()
  const isOne = locations.length < 2
  return (
    <FormDialog
      label={text.give}
      schema={Gift}
      start={{
        classification: "service_recovery",
        qualifies_for_tier: false,
        location_id: locations[0]?.location_id,
        known_by: asked.known_by
      }}
      needs={isOne ? [] : ["/location_id"]}
      isReady={({ amount }) => amount !== 0}
      told={text.done}
      send={(gift, key) => admin.member.adjustMember({ params, payload: { ...gift, adjustment_id: `console-${key}` } })}
      done={done}
    >
      <Field at="/amount" label={text.amount} input={{ hasSign: true }} />
      {isOne ? undefined : (
        <Field
          at="/location_id"
          label={text.restaurant}
          options={locations.map((one) => ({ value: one.location_id, label: one.name ?? one.location_id }))}
        />
      )}
      <ReasonField />
    </FormDialog>
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
        {may("adjustMember") ? <Give key={member_id} {...props} /> : undefined}
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

/** The forms that connect tills, and change their connection. */
import { Autocomplete, Fieldset, Stack } from "@mantine/core"
import type { ComponentProps } from "react"
import { useState } from "react"
import type { Connection } from "../../contract/admin/Connections.ts"
import { ConnectionChange, defaultSettings, NewConnection } from "../../contract/admin/Connections.ts"
import { Field, ReplaceField, useField } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { Rows } from "../shared/form/Rows.tsx"
import { useOpenLocations } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { useProgramId, useProgramList } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { TillKey } from "./TillKey.tsx"
import { tillStrings } from "./tillStrings.ts"
import { admin } from "./tills.ts"

const text = tillStrings

const blankRow = { external_id: "", location_id: "" }

/** Places that are never empty: an absent one would stay as it is. */
const needs = [
  "/name",
  ...(["country", "brand_id", "merchant_id", "time_zone"] as const).map((name) => `/settings/${name}`)
]

const LocationId = ({ at, row }: { readonly at: string; readonly row: number }) => {
  const { error, onChange, value } = useField(`${at}/location_id`)
  const known = useOpenLocations()
  return (
    <Autocomplete
      style={{ flex: "1 1 8rem" }}
      spellCheck={false}
      aria-label={text.locationOf(row)}
      placeholder={text.location}
      description={known.find((one) => one.location_id === value)?.name}
      inputWrapperOrder={["label", "input", "description", "error"]}
      data={known.map((one) => one.location_id)}
      value={String(value ?? "")}
      onChange={onChange}
      error={error}
    />
  )
}

const Restaurants = () => (
  <Fieldset legend={text.restaurants} variant="unstyled">
    <Note size="sm">{text.restaurantsHint}</Note>
    <Rows
      at="/restaurants"
      blank={blankRow}
      add={text.addRestaurant}
      remove={text.removeRow}
      removeOf={text.removeRestaurant}
    >
      {(at, row) => (
        <>
          <Field
            at={`${at}/external_id`}
            label={text.externalIdOf(row)}
            isBare
            input={{ placeholder: text.externalId, spellCheck: false }}
          />
          <LocationId at={at} row={row} />
        </>
      )}
    </Rows>
    <Field at="/unknown_restaurant" label={text.unknown} options={text.unknowns} />
  </Fieldset>
)

const Settings = () => {
  const input = { spellCheck: false }
  return (
    <details>
      <summary>{text.more}</summary>
      <Stack gap="xs" mt="xs">
        <Field
          at="/settings/country"
          label={text.country}
          hint={text.countryHint}
          input={{ spellCheck: false, maxLength: 2 }}
        />
        <Field at="/settings/tells" label={text.tells} options={text.tellsOf} />
        <Field at="/settings/search_by_name" label={text.searchByName} hint={text.searchByNameHint} />
        <Field at="/settings/channel" label={text.channel} />
        <Field at="/settings/brand_id" label={text.brand} input={input} />
        <Field at="/settings/merchant_id" label={text.merchant} input={input} />
        <Field at="/settings/time_zone" label={text.zone} hint={text.zoneHint} input={input} />
      </Stack>
    </details>
  )
}

const Name = () => <Field at="/name" label={text.name} hint={text.nameHint} input={{ dir: "auto" }} />

type Issued = NonNullable<ComponentProps<typeof TillKey>["issued"]> & { readonly connection: Connection }

/** Connects tills and shows their key. */
export const ConnectTill = () => {
  const refresh = useRefresh("connections")
  const program_id = useProgramId()
  const { data: programs = [] } = useProgramList()
  const [issued, tell] = useState<Issued>()
  return (
    <>
      <FormDialog
        label={text.connect}
        submit={text.connectSubmit}
        schema={NewConnection}
        start={{
          vendor: "toast",
          program_id,
          restaurants: [blankRow],
          unknown_restaurant: "refuse",
          settings: defaultSettings
        }}
        needs={needs}
        send={(payload) => admin.connections.createConnection({ payload })}
        done={(made) => {
          tell(made)
          refresh()
        }}
      >
        <Name />
        <Field at="/vendor" label={text.vendor} options={text.vendors} />
        <Field
          at="/program_id"
          label={text.program}
          options={programs.map(({ name, program_id: value }) => ({ value, label: name }))}
        />
        <Restaurants />
        <Settings />
      </FormDialog>
      <TillKey issued={issued} name={issued?.connection.name ?? ""} close={() => tell(undefined)} />
    </>
  )
}

export const EditTill = ({ connection }: { readonly connection: Connection }) => {
  const { connection_id, name, restaurants, settings, unknown_restaurant, version } = connection
  return (
    <FormDialog
      label={text.edit}
      name={text.editOf(name)}
      submit={text.save}
      schema={ConnectionChange}
      start={{ name, restaurants, unknown_restaurant, settings, expected_version: version }}
      needs={needs}
      // Without a row there is no restaurant; an absent list would stay as it is.
      send={(change) =>
        admin.connections.changeConnection({ params: { connection_id }, payload: { restaurants: [], ...change } })
      }
      done={useRefresh("connections")}
    >
      <Name />
      <Restaurants />
      <Settings />
      <ReplaceField />
    </FormDialog>
  )
}

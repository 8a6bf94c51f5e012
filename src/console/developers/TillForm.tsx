/** The form that connects tills, or changes their connection. */
import { Autocomplete, Button, Checkbox, Fieldset, Group, NativeSelect, Stack, TextInput } from "@mantine/core"
import { useState } from "react"
import type { Connection } from "../../contract/admin/Connections.ts"
import { defaultSettings } from "../../contract/admin/Connections.ts"
import { Channel } from "../../contract/Values.ts"
import { call, keyed } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { useOpenLocations } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { useProgramId, useProgramList } from "../shared/program.tsx"
import { Replace } from "../shared/Replace.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt, faultsWithin } from "../shared/States.tsx"
import { labelOf } from "../shared/words/words.ts"
import type { JustIssued } from "./SecretDialog.tsx"
import { TillKey } from "./TillKey.tsx"
import { tillStrings } from "./tillStrings.ts"
import { admin } from "./tills.ts"
import "../shared/words/labels.ts"

const text = tillStrings

/** One restaurant of the form. What else is set for it, the form keeps. */
interface Row {
  /** Tells rows apart while they change. */
  readonly key: string
  readonly of: Connection["restaurants"][number]
}

interface Draft {
  readonly name: string
  readonly program: string
  readonly rows: ReadonlyArray<Row>
  readonly unknown: Connection["unknown_restaurant"]
  readonly settings: Connection["settings"]
  readonly isReplacing: boolean
}

const newRow = (of: Row["of"] = { external_id: "", location_id: "" }): Row => ({ key: crypto.randomUUID(), of })

const draftOf = (connection: Connection | undefined, program: string): Draft => ({
  name: connection?.name ?? "",
  program: connection?.program_id ?? program,
  rows: connection?.restaurants.map(newRow) ?? [newRow()],
  unknown: connection?.unknown_restaurant ?? "refuse",
  settings: connection?.settings ?? defaultSettings,
  isReplacing: false
})

/** Rows without any text are left out. */
const factsOf = ({ name, rows, settings, unknown }: Draft) => ({
  name: name.trim(),
  restaurants: rows
    .map(({ of }) => ({ ...of, external_id: of.external_id.trim(), location_id: of.location_id.trim() }))
    .filter(({ external_id, location_id }) => external_id !== "" || location_id !== ""),
  unknown_restaurant: unknown,
  settings
})

interface PartProps {
  readonly draft: Draft
  readonly set: (change: Partial<Draft>) => void
  readonly error: unknown
}

const RestaurantRow = (props: {
  readonly at: number
  readonly row: Row
  readonly error: unknown
  readonly change: (of: Row["of"]) => void
  readonly remove: () => void
}) => {
  const { at, change, error, remove, row } = props
  const known = useOpenLocations()
  const { external_id, location_id } = row.of
  const name = known.find((one) => one.location_id === location_id)?.name
  return (
    <Group align="start" gap="xs">
      <TextInput
        aria-label={text.externalIdOf(at + 1)}
        placeholder={text.externalId}
        style={{ flex: "1 1 9rem" }}
        spellCheck={false}
        value={external_id}
        onChange={({ currentTarget }) => change({ ...row.of, external_id: currentTarget.value })}
        error={faultAt(error, `/restaurants/${at}/external_id`, external_id)}
      />
      <Autocomplete
        aria-label={text.locationOf(at + 1)}
        placeholder={text.location}
        description={name}
        inputWrapperOrder={["label", "input", "description", "error"]}
        style={{ flex: "1 1 9rem" }}
        spellCheck={false}
        data={known.map((one) => one.location_id)}
        value={location_id}
        onChange={(chosen) => change({ ...row.of, location_id: chosen })}
        error={faultAt(error, `/restaurants/${at}/location_id`, location_id)}
      />
      <Button variant="subtle" aria-label={text.removeRestaurant(at + 1)} onClick={remove}>
        {text.removeRow}
      </Button>
    </Group>
  )
}

const Restaurants = ({ draft: { rows, unknown }, error, set }: PartProps) => (
  <Fieldset legend={text.restaurants} variant="unstyled">
    <Note size="sm">{text.restaurantsHint}</Note>
    <Stack gap="xs" my="xs">
      {rows.map((row, at) => (
        <RestaurantRow
          key={row.key}
          at={at}
          row={row}
          error={error}
          change={(of) => set({ rows: rows.map((one) => (one.key === row.key ? { ...one, of } : one)) })}
          remove={() => set({ rows: rows.filter(({ key }) => key !== row.key) })}
        />
      ))}
      <Group>
        <Button variant="default" size="xs" onClick={() => set({ rows: [...rows, newRow()] })}>
          {text.addRestaurant}
        </Button>
      </Group>
    </Stack>
    <NativeSelect
      label={text.unknown}
      value={unknown}
      data={Object.entries(text.unknowns).map(([value, label]) => ({ value, label }))}
      onChange={({ currentTarget }) => set({ unknown: currentTarget.value as Draft["unknown"] })}
      error={faultsWithin(error, "/unknown_restaurant", unknown)}
    />
  </Fieldset>
)

const Settings = ({ draft: { settings }, error, set }: PartProps) => {
  const put = (change: Partial<Draft["settings"]>) => set({ settings: { ...settings, ...change } })
  const typed = (name: "country" | "brand_id" | "merchant_id" | "time_zone") => ({
    value: settings[name],
    spellCheck: false,
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      put({ [name]: currentTarget.value }),
    error: faultAt(error, `/settings/${name}`, settings[name])
  })
  return (
    <details>
      <summary>{text.more}</summary>
      <Stack gap="xs" mt="xs">
        <TextInput label={text.country} description={text.countryHint} maxLength={2} {...typed("country")} />
        <NativeSelect
          label={text.tells}
          value={settings.tells}
          data={Object.entries(text.tellsOf).map(([value, label]) => ({ value, label }))}
          onChange={({ currentTarget }) => put({ tells: currentTarget.value as Draft["settings"]["tells"] })}
        />
        <Checkbox
          label={text.searchByName}
          description={text.searchByNameHint}
          checked={settings.search_by_name}
          onChange={({ currentTarget }) => put({ search_by_name: currentTarget.checked })}
        />
        <NativeSelect
          label={text.channel}
          value={settings.channel}
          data={Channel.literals.map((value) => ({ value, label: labelOf(value) }))}
          onChange={({ currentTarget }) => put({ channel: currentTarget.value as Channel })}
        />
        <TextInput label={text.brand} {...typed("brand_id")} />
        <TextInput label={text.merchant} {...typed("merchant_id")} />
        <TextInput label={text.zone} description={text.zoneHint} {...typed("time_zone")} />
      </Stack>
    </details>
  )
}

const Program = ({ draft, error, set }: PartProps) => {
  const { data: programs = [] } = useProgramList()
  return (
    <NativeSelect
      label={text.program}
      value={draft.program}
      data={programs.map(({ name, program_id }) => ({ value: program_id, label: name }))}
      onChange={({ currentTarget }) => set({ program: currentTarget.value })}
      error={faultAt(error, "/program_id", draft.program)}
    />
  )
}

/** Connects tills and shows their key, or changes their connection. */
export const EditTill = ({ connection }: { readonly connection?: Connection }) => {
  const refresh = useRefresh("connections")
  const program = useProgramId() ?? ""
  const [draft, setDraft] = useState(() => draftOf(connection, program))
  const [issued, tell] = useState<JustIssued>()
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  return (
    <>
      <ChangeDialog
        label={connection === undefined ? text.connect : text.edit}
        {...(connection === undefined ? {} : { name: text.editOf(connection.name) })}
        submit={connection === undefined ? text.connectSubmit : text.save}
        begin={() => setDraft(draftOf(connection, program))}
        done={refresh}
        isReady={draft.name.trim() !== ""}
        run={async (keyOf) => {
          const facts = factsOf(draft)
          if (connection === undefined) {
            const payload = { ...facts, vendor: "toast" as const, program_id: draft.program }
            return tell(await call(keyed(keyOf(payload), admin.connections.createConnection({ payload }))))
          }
          const { connection_id, version } = connection
          const payload = { ...facts, ...(draft.isReplacing ? {} : { expected_version: version }) }
          await call(keyed(keyOf(payload), admin.connections.changeConnection({ params: { connection_id }, payload })))
        }}
      >
        {(error: unknown) => {
          const part = { draft, error, set }
          return (
            <>
              <TextInput
                label={text.name}
                description={text.nameHint}
                required
                dir="auto"
                value={draft.name}
                onChange={({ currentTarget }) => set({ name: currentTarget.value })}
                error={faultAt(error, "/name", draft.name)}
              />
              {connection === undefined ? (
                <>
                  <NativeSelect
                    label={text.vendor}
                    data={Object.entries(text.vendors).map(([value, label]) => ({ value, label }))}
                  />
                  <Program {...part} />
                </>
              ) : undefined}
              <Restaurants {...part} />
              <Settings {...part} />
              <Replace error={error} isChosen={draft.isReplacing} choose={(isReplacing) => set({ isReplacing })} />
            </>
          )
        }}
      </ChangeDialog>
      <TillKey issued={issued} name={draft.name.trim()} close={() => tell(undefined)} />
    </>
  )
}

/** Franchisees and brands of a restaurant, each from a day on. */
import { Button, Fieldset, Group, TextInput } from "@mantine/core"
import { locationStrings } from "../restaurants/locationStrings.ts"
import { PlaceInput } from "../shared/choosers/PlacesInput.tsx"
import type { Location } from "../shared/locations.ts"
import { Note } from "../shared/Note.tsx"
import { faultsWithin } from "../shared/States.tsx"

const text = locationStrings

/** An entry as it is typed. `id` empty: none from that day on. */
interface PartyRow {
  readonly from: string
  readonly id: string
}

interface PartyRowsProps {
  readonly label: string
  readonly idLabel: string
  /** The property of the request, for its faults. */
  readonly name: "franchisees" | "brands"
  readonly value: ReadonlyArray<PartyRow>
  readonly onChange: (value: ReadonlyArray<PartyRow>) => void
  readonly error: unknown
}

const PartyRows = ({ error, idLabel, label, name, onChange, value }: PartyRowsProps) => {
  const fault = faultsWithin(error, `/${name}`, value)
  return (
    <Fieldset legend={label}>
      {value.length === 0 ? undefined : <Note>{text.partyHint}</Note>}
      {value.map((row, index) => {
        const change = (part: Partial<PartyRow>) => onChange(value.with(index, { ...row, ...part }))
        const named = (what: string) => `${what}, ${index + 1}`
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id, and their fields keep nothing of their own
          <Group key={index} align="flex-end" mb="xs">
            <TextInput
              type="date"
              label={text.since}
              aria-label={named(`${label}: ${text.since}`)}
              required
              value={row.from}
              onChange={({ currentTarget }) => change({ from: currentTarget.value })}
            />
            <PlaceInput
              of={name === "brands" ? "brand_ids" : "franchisee_ids"}
              label={idLabel}
              aria-label={named(idLabel)}
              maxLength={128}
              value={row.id}
              onChange={(id) => change({ id })}
            />
            <Button
              variant="default"
              aria-label={named(`${text.remove}: ${label}`)}
              onClick={() => onChange(value.toSpliced(index, 1))}
            >
              {text.remove}
            </Button>
          </Group>
        )
      })}
      {fault === undefined ? undefined : <Note c="var(--mantine-color-error)">{fault}</Note>}
      <Button variant="default" size="xs" onClick={() => onChange([...value, { from: "", id: "" }])}>
        {text.addParty(label)}
      </Button>
    </Fieldset>
  )
}

interface TypedParties {
  readonly franchisees: ReadonlyArray<PartyRow>
  readonly brands: ReadonlyArray<PartyRow>
}

/** The franchisees and brands of a restaurant as they are typed. */
export const partiesOf = (location: Location | undefined): TypedParties => ({
  franchisees: (location?.franchisees ?? []).map(({ franchisee_id = "", from }) => ({ from, id: franchisee_id })),
  brands: (location?.brands ?? []).map(({ brand_id = "", from }) => ({ from, id: brand_id }))
})

/** The typed ones as the request has them. */
export const entriesOf = ({ brands, franchisees }: TypedParties) => ({
  ...(franchisees.length === 0
    ? {}
    : {
        franchisees: franchisees.map(({ from, id }) =>
          id.trim() === "" ? { from } : { from, franchisee_id: id.trim() }
        )
      }),
  ...(brands.length === 0
    ? {}
    : { brands: brands.map(({ from, id }) => (id.trim() === "" ? { from } : { from, brand_id: id.trim() })) })
})

interface PartiesProps {
  readonly value: TypedParties
  readonly onChange: (value: Partial<TypedParties>) => void
  readonly error: unknown
}

export const Parties = ({ error, onChange, value }: PartiesProps) => (
  <>
    <PartyRows
      label={text.franchisees}
      idLabel={text.franchiseeId}
      name="franchisees"
      value={value.franchisees}
      onChange={(franchisees) => onChange({ franchisees })}
      error={error}
    />
    <PartyRows
      label={text.brands}
      idLabel={text.brandId}
      name="brands"
      value={value.brands}
      onChange={(brands) => onChange({ brands })}
      error={error}
    />
  </>
)

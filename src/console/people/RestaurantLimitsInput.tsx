/** The restaurants that a person or a token is limited to. */
import { Fieldset } from "@mantine/core"
import { type GivenLimits, limitNames } from "../../contract/RestaurantLimits.ts"
import { PlacesInput } from "../shared/choosers/PlacesInput.tsx"
import { Note } from "../shared/Note.tsx"
import { faultsWithin } from "../shared/States.tsx"
import { staffStrings } from "../shared/staffStrings.ts"

const text = staffStrings.restaurants

export const RestaurantLimitsInput = (props: {
  readonly value: GivenLimits
  readonly onChange: (value: GivenLimits) => void
  readonly error: unknown
}) => {
  const { error, onChange, value } = props
  return (
    <Fieldset legend={text.title}>
      <Note>{text.hint}</Note>
      {limitNames.map((name) => (
        <PlacesInput
          key={name}
          of={name}
          label={text[name]}
          value={value[name] ?? []}
          onChange={(ids) => {
            const { [name]: _, ...others } = value
            onChange(ids.length === 0 ? others : { ...others, [name]: ids })
          }}
          maxLength={128}
          error={faultsWithin(error, `/${name}`, value[name] ?? [])}
        />
      ))}
    </Fieldset>
  )
}

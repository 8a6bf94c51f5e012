/** The restaurants that a person or a token is limited to. */
import { Fieldset } from "@mantine/core"
import { limitNames } from "../../contract/RestaurantLimits.ts"
import { Field } from "../shared/form/Field.tsx"
import { Note } from "../shared/Note.tsx"
import { staffStrings } from "../shared/staffStrings.ts"

const text = staffStrings.restaurants

export const RestaurantLimitsInput = () => (
  <Fieldset legend={text.title}>
    <Note>{text.hint}</Note>
    {limitNames.map((name) => (
      <Field key={name} at={`/${name}`} label={text[name]} />
    ))}
  </Fieldset>
)

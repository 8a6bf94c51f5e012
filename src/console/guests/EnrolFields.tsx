/** The fields of a guest who is enrolled: how to find the guest, and what the guest tells by choice. */
import { Checkbox, Stack, TextInput } from "@mantine/core"
import { countryName } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { useProgram } from "../shared/program.tsx"
import { faultAt } from "../shared/States.tsx"
import type { Draft, Way } from "./enrolling.ts"
import { waysOf } from "./enrolling.ts"
import { guestStrings } from "./guestStrings.ts"
import { profileStrings } from "./profileStrings.ts"

const text = guestStrings

interface Props {
  readonly draft: Draft
  readonly onChange: (change: Partial<Draft>) => void
  readonly error: unknown
}

/** Asks whether the guest may be written to, in the words of the guests' page, once there is an address. */
const MayWrite = ({ draft, onChange }: Omit<Props, "error">) => {
  const program = useProgram().data?.program
  const ways = waysOf(draft)
  if (ways.length === 0) return undefined
  return (
    <Checkbox.Group
      label={text.mayWrite(program?.guest_page?.name ?? program?.name ?? "")}
      description={text.mayWriteHint}
      value={ways.filter((way) => draft.granted.includes(way))}
      onChange={(granted) => onChange({ granted: granted as ReadonlyArray<Way> })}
    >
      <Stack gap="xs" mt="xs">
        {ways.map((way) => (
          <Checkbox key={way} value={way} label={text.offersBy[way]} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}

/** The card, and its issuer where tills send one. */
const Card = ({ draft: { card, issuer }, error, onChange }: Props) => (
  <>
    <TextInput
      label={text.card}
      description={text.cardHint}
      autoComplete="off"
      value={card}
      onChange={({ currentTarget }) => onChange({ card: currentTarget.value })}
      error={faultAt(error, "/add/0/value", card)}
    />
    {card === "" ? undefined : (
      <TextInput
        label={text.issuer}
        description={text.issuerHint}
        autoComplete="off"
        value={issuer}
        onChange={({ currentTarget }) => onChange({ issuer: currentTarget.value })}
        error={faultAt(error, "/add/0/issuer", issuer)}
      />
    )}
  </>
)

export const EnrolFields = (props: Props) => {
  const { draft, error, onChange } = props
  const country = useProgram().data?.program.country
  const field = (name: "display_name" | "phone" | "email" | "birth_date") => ({
    label: profileStrings.fields[name],
    value: draft[name],
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      onChange({ [name]: currentTarget.value }),
    error: faultAt(error, `/${name}`, draft[name]),
    autoComplete: "off"
  })
  return (
    <>
      <Note>{text.enrolHint}</Note>
      <TextInput dir="auto" {...field("display_name")} />
      <TextInput
        description={profileStrings.phoneHint(country === undefined ? undefined : countryName(country))}
        inputMode="tel"
        {...field("phone")}
      />
      <TextInput inputMode="email" {...field("email")} />
      <Card {...props} />
      <TextInput type="date" description={text.birthdayHint} {...field("birth_date")} />
      <MayWrite draft={draft} onChange={onChange} />
    </>
  )
}

/** Facts that a guest tells by choice: name, birthday, and consents, which nothing else depends on. */
import { useGuest } from "../guest.ts"
import { Field, Tick } from "../parts.tsx"
import type { ConsentFacts, JoinFacts } from "../wire.ts"

export interface Join {
  readonly name: string
  readonly birthday: string
  /** Ways in which the guest may be written to. */
  readonly granted: ReadonlyArray<string>
}

export const noJoin: Join = { name: "", birthday: "", granted: [] }

/** The facts as they are sent: nothing of fields that are empty. A consent that was not ticked was not given. */
export const joinFacts = ({ birthday, granted, name }: Join, at: string | undefined): JoinFacts => ({
  ...(name.trim() === "" ? undefined : { name: name.trim() }),
  ...(birthday === "" ? undefined : { birthday }),
  ...(at === undefined ? undefined : { at }),
  consents: granted.map((channel): ConsentFacts => ({ purpose: "marketing", channel, granted: true }))
})

/** The way in which a guest who joins by an address may be asked to be written to: the address itself. */
export const channelOf = (kind: "email" | "phone"): string => (kind === "email" ? "email" : "sms")

interface JoinFieldsProps {
  readonly join: Join
  readonly onJoin: (join: Join) => void
  readonly channels: ReadonlyArray<string>
}

export const NameFields = ({ join, onJoin }: Omit<JoinFieldsProps, "channels">) => {
  const { words } = useGuest()
  const text = words.join
  return (
    <>
      <Field
        label={text.name}
        isOptional
        value={join.name}
        onValue={(name) => onJoin({ ...join, name })}
        input={{ autoComplete: "name", maxLength: 200 }}
      />
      <Field
        label={text.birthday}
        isOptional
        hint={text.birthdayHint}
        value={join.birthday}
        onValue={(birthday) => onJoin({ ...join, birthday })}
        input={{ type: "date", autoComplete: "bday", min: "1900-01-01", max: new Date().toISOString().slice(0, 10) }}
      />
    </>
  )
}

export const JoinFields = ({ channels, join, onJoin }: JoinFieldsProps) => {
  const { words } = useGuest()
  const text = words.join
  const { granted } = join
  return (
    <>
      <NameFields join={join} onJoin={onJoin} />
      <fieldset>
        <legend>{text.consents}</legend>
        {channels.map((channel) => (
          <Tick
            key={channel}
            label={words.consent("marketing", channel)}
            isTicked={granted.includes(channel)}
            onTick={(isTicked) =>
              onJoin({
                ...join,
                granted: [...granted.filter((one) => one !== channel), ...(isTicked ? [channel] : [])]
              })
            }
          />
        ))}
        <small class="hint">{text.consentsHint}</small>
      </fieldset>
    </>
  )
}

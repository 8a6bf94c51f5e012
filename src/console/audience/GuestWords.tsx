/** Texts of a campaign for guests, by language: its name and text for them, and how the guests' page shows both. */
import { Paper, Stack, Text, Textarea, TextInput } from "@mantine/core"
import { defaultGuestDays, maxGuestNameLength, maxGuestTextLength } from "../../contract/platform/GivenCampaigns.ts"
import { NumberField } from "../shared/form/NumberField.tsx"
import { faultAt } from "../shared/States.tsx"
import { campaignStrings } from "./campaignStrings.ts"
import type { GuestTextsDraft, GuestWordsDraft } from "./guestTexts.ts"
import { useMailing } from "./mailing.ts"

const text = campaignStrings.guests
const { languages: names } = campaignStrings.mail

/** Characters as the service counts them. */
const lengthOf = (value: string): number => [...value].length

interface InputsProps {
  readonly value: GuestWordsDraft
  readonly onChange: (change: Partial<GuestWordsDraft>) => void
  readonly error: unknown
  /** Paths of both in the request. */
  readonly at: readonly [name: string, text: string]
  /** The language, of texts beside the first. */
  readonly language?: string
}

const Inputs = ({ at, error, language, onChange, value: { name, text: body } }: InputsProps) => (
  <>
    <TextInput
      label={language === undefined ? text.name : text.nameIn(language)}
      description={text.nameHint(lengthOf(name), maxGuestNameLength)}
      inputWrapperOrder={["label", "input", "description", "error"]}
      maxLength={maxGuestNameLength}
      value={name}
      onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
      error={faultAt(error, at[0], name)}
    />
    <Textarea
      label={language === undefined ? text.text : text.textIn(language)}
      description={text.textHint(lengthOf(body), maxGuestTextLength)}
      inputWrapperOrder={["label", "input", "description", "error"]}
      autosize
      minRows={2}
      maxLength={maxGuestTextLength}
      value={body}
      onChange={({ currentTarget }) => onChange({ text: currentTarget.value })}
      error={faultAt(error, at[1], body)}
    />
    {language !== undefined && body.trim() === "" ? undefined : (
      <Preview
        name={name.trim()}
        text={body.trim()}
        label={language === undefined ? text.preview : text.previewIn(language)}
      />
    )}
  </>
)

interface Words {
  readonly guestName: string
  readonly guestText: string
  readonly guestTexts: GuestTextsDraft
  readonly guestDays: number | undefined
}

interface Props {
  readonly value: Words
  readonly onChange: (change: Partial<Words>) => void
  readonly error: unknown
}

export const GuestWords = ({ error, onChange, value: { guestDays, guestName, guestText, guestTexts } }: Props) => {
  const [, ...others] = useMailing().languages
  const shown = guestText.trim() === "" ? [] : others
  return (
    <Stack>
      <Inputs
        at={["/guest_name", "/guest_text"]}
        error={error}
        value={{ name: guestName, text: guestText }}
        onChange={({ name = guestName, text: body = guestText }) => onChange({ guestName: name, guestText: body })}
      />
      {shown.map((language) => {
        const value = guestTexts[language] ?? { name: "", text: "" }
        return (
          <Inputs
            key={language}
            at={[`/guest_texts/${language}/name`, `/guest_texts/${language}/text`]}
            error={error}
            language={names[language]}
            value={value}
            onChange={(change) => onChange({ guestTexts: { ...guestTexts, [language]: { ...value, ...change } } })}
          />
        )
      })}
      {guestText.trim() === "" ? undefined : (
        <NumberField
          label={text.days}
          description={text.daysHint}
          inputWrapperOrder={["label", "input", "description", "error"]}
          placeholder={String(defaultGuestDays)}
          value={guestDays ?? ""}
          onChange={(days) => onChange({ guestDays: days === "" ? undefined : days })}
          error={faultAt(error, "/guest_days", guestDays)}
        />
      )}
    </Stack>
  )
}

interface PreviewProps extends GuestWordsDraft {
  readonly label: string
}

const Preview = ({ label, name, text: body }: PreviewProps) => (
  <Paper withBorder p="sm" radius="md" role="group" aria-label={label}>
    {body === "" ? (
      <Text size="sm">{text.nothing}</Text>
    ) : (
      <>
        {name === "" ? undefined : <Text fw={600}>{name}</Text>}
        <Text style={{ whiteSpace: "pre-wrap" }}>{body}</Text>
      </>
    )}
  </Paper>
)

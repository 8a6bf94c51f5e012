/** Texts of a campaign for guests: its name and text for them, and how an app may show both. */
import { Paper, Stack, Text, Textarea, TextInput } from "@mantine/core"
import { maxGuestNameLength, maxGuestTextLength } from "../../contract/platform/GivenCampaigns.ts"
import { faultAt } from "../shared/States.tsx"
import { campaignStrings } from "./campaignStrings.ts"

const text = campaignStrings.guests

/** Characters as the service counts them. */
const lengthOf = (value: string): number => [...value].length

interface Words {
  readonly guestName: string
  readonly guestText: string
}

interface Props {
  readonly value: Words
  readonly onChange: (change: Partial<Words>) => void
  readonly error: unknown
}

export const GuestWords = ({ error, onChange, value: { guestName, guestText } }: Props) => (
  <Stack>
    <TextInput
      label={text.name}
      description={text.nameHint(lengthOf(guestName), maxGuestNameLength)}
      inputWrapperOrder={["label", "input", "description", "error"]}
      maxLength={maxGuestNameLength}
      value={guestName}
      onChange={({ currentTarget }) => onChange({ guestName: currentTarget.value })}
      error={faultAt(error, "/guest_name", guestName)}
    />
    <Textarea
      label={text.text}
      description={text.textHint(lengthOf(guestText), maxGuestTextLength)}
      inputWrapperOrder={["label", "input", "description", "error"]}
      autosize
      minRows={2}
      maxLength={maxGuestTextLength}
      value={guestText}
      onChange={({ currentTarget }) => onChange({ guestText: currentTarget.value })}
      error={faultAt(error, "/guest_text", guestText)}
    />
    <Preview guestName={guestName.trim()} guestText={guestText.trim()} />
  </Stack>
)

const Preview = ({ guestName, guestText }: Words) => (
  <Paper withBorder p="sm" radius="md" role="group" aria-label={text.preview}>
    {guestText === "" ? (
      <Text size="sm">{text.nothing}</Text>
    ) : (
      <>
        {guestName === "" ? undefined : <Text fw={600}>{guestName}</Text>}
        <Text style={{ whiteSpace: "pre-wrap" }}>{guestText}</Text>
      </>
    )}
  </Paper>
)

/** The mail of a campaign as it is: its words in all languages, and why none goes out. */
import { Stack, Text } from "@mantine/core"
import type { Language } from "../../contract/Languages.ts"
import { defaultMailDays } from "../../contract/platform/CampaignMail.ts"
import type { Campaign } from "../../contract/platform/Campaigns.ts"
import { Note } from "../shared/Note.tsx"
import { campaignStrings } from "./campaignStrings.ts"
import { useMailing } from "./mailing.ts"

const text = campaignStrings.mail

interface Props {
  readonly campaign: Campaign
}

/** Why the campaign's mail does not go out, if it does not. */
export const MailLack = ({ campaign: { mail, program_id } }: Props) => {
  const { lacks } = useMailing(program_id)
  if (mail === undefined || lacks === undefined) return undefined
  return (
    <Text size="sm" fw={600}>
      {lacks === "server" ? text.waits(mail.days ?? defaultMailDays) : text.lacks[lacks]}
    </Text>
  )
}

/** Subject and text, by language where there are several. */
export const MailShown = ({ campaign: { mail, program_id } }: Props) => {
  const { languages } = useMailing(program_id)
  if (mail === undefined) return undefined
  const [first = "en"] = languages
  const others = Object.entries(mail.texts ?? {}) as ReadonlyArray<[Language, { subject: string; text: string }]>
  return (
    <Stack gap="xs">
      {[[first, mail] as const, ...others.filter(([language]) => language !== first)].map(([language, words]) => (
        <Stack key={language} gap={0}>
          {others.length === 0 ? undefined : <Note size="xs">{text.languages[language]}</Note>}
          <Text size="sm" fw={600}>
            {words.subject}
          </Text>
          <Text size="sm" style={{ whiteSpace: "pre-wrap" }}>
            {words.text}
          </Text>
        </Stack>
      ))}
    </Stack>
  )
}

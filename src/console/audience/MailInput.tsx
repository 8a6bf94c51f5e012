/** The mail of a campaign: whether there is one, its words by language, and how guests get it. */
import { Alert, Paper, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core"
import type { Language } from "../../contract/Languages.ts"
import { defaultMailDays, maxMailTextLength, maxSubjectLength } from "../../contract/platform/CampaignMail.ts"
import { NumberField } from "../shared/form/NumberField.tsx"
import { Note } from "../shared/Note.tsx"
import { faultAt } from "../shared/States.tsx"
import type { MailDraft } from "./campaignMail.ts"
import { isMailComplete, noWords } from "./campaignMail.ts"
import { campaignStrings } from "./campaignStrings.ts"
import { useMailing } from "./mailing.ts"

const text = campaignStrings.mail

/** Characters as the service counts them. */
const lengthOf = (value: string): number => [...value].length

interface WordsProps {
  readonly value: { readonly subject: string; readonly text: string }
  readonly onChange: (change: { readonly subject?: string; readonly text?: string }) => void
  readonly error: unknown
  /** Where the words are in the request. */
  readonly at: string
  /** The language, where the page has several. */
  readonly language?: string | undefined
  readonly isRequired: boolean
}

const MailWords = ({ at, error, isRequired, language, onChange, value: { subject, text: body } }: WordsProps) => (
  <>
    <TextInput
      label={language === undefined ? text.subject : text.subjectIn(language)}
      description={text.subjectHint(lengthOf(subject), maxSubjectLength)}
      inputWrapperOrder={["label", "input", "description", "error"]}
      required={isRequired}
      maxLength={maxSubjectLength}
      value={subject}
      onChange={({ currentTarget }) => onChange({ subject: currentTarget.value })}
      error={faultAt(error, `${at}/subject`, subject)}
    />
    <Textarea
      label={language === undefined ? text.text : text.textIn(language)}
      description={text.textHint(lengthOf(body), maxMailTextLength)}
      inputWrapperOrder={["label", "input", "description", "error"]}
      required={isRequired}
      autosize
      minRows={4}
      maxLength={maxMailTextLength}
      value={body}
      onChange={({ currentTarget }) => onChange({ text: currentTarget.value })}
      error={faultAt(error, `${at}/text`, body)}
    />
  </>
)

/** The mail as a guest of a language gets it. */
const Preview = (props: { readonly value: WordsProps["value"]; readonly language?: string | undefined }) => {
  const { language, value } = props
  if (value.subject.trim() === "" || value.text.trim() === "") return undefined
  return (
    <Paper
      withBorder
      p="sm"
      radius="md"
      role="group"
      aria-label={language === undefined ? text.preview : text.previewIn(language)}
    >
      <Stack gap={4}>
        <Text fw={600}>{value.subject.trim()}</Text>
        <Text style={{ whiteSpace: "pre-wrap" }}>{value.text.trim()}</Text>
        <Note size="xs">{text.footer}</Note>
      </Stack>
    </Paper>
  )
}

interface Props {
  readonly value: MailDraft
  readonly onChange: (value: MailDraft) => void
  readonly error: unknown
}

export const MailInput = ({ error, onChange, value }: Props) => {
  const { languages, lacks } = useMailing()
  const [first, ...others] = languages
  const several = others.length > 0 || Object.keys(value.texts).length > 0
  const nameOf = (language: Language | undefined) =>
    several && language !== undefined ? text.languages[language] : undefined
  const shown = [...new Set([...others, ...(Object.keys(value.texts) as ReadonlyArray<Language>)])]
  return (
    <Stack>
      {lacks === undefined ? undefined : (
        <Alert role="note" color="yellow">
          {text.lacks[lacks]}
        </Alert>
      )}
      <Switch
        label={text.send}
        description={text.hint}
        disabled={lacks === "page" && !value.isOn}
        checked={value.isOn}
        onChange={({ currentTarget }) => onChange({ ...value, isOn: currentTarget.checked })}
        error={faultAt(error, "/mail", value.isOn)}
      />
      {value.isOn ? (
        <>
          <MailWords
            at="/mail"
            error={error}
            isRequired
            language={nameOf(first)}
            value={value}
            onChange={(change) => onChange({ ...value, ...change })}
          />
          <Preview value={value} language={nameOf(first)} />
          {shown.map((language) => {
            const words = value.texts[language] ?? noWords
            return (
              <Stack key={language}>
                <MailWords
                  at={`/mail/texts/${language}`}
                  error={error}
                  isRequired={false}
                  language={nameOf(language)}
                  value={words}
                  onChange={(change) =>
                    onChange({ ...value, texts: { ...value.texts, [language]: { ...words, ...change } } })
                  }
                />
                <Preview value={words} language={nameOf(language)} />
              </Stack>
            )
          })}
          {shown.length === 0 ? undefined : <Note>{text.otherwise(text.languages[first ?? "en"])}</Note>}
          <NumberField
            label={text.days}
            description={text.daysHint}
            inputWrapperOrder={["label", "input", "description", "error"]}
            placeholder={String(defaultMailDays)}
            value={value.days ?? ""}
            onChange={(days) => onChange({ ...value, days: days === "" ? undefined : days })}
            error={faultAt(error, "/mail/days", value.days)}
          />
          {isMailComplete(value) ? undefined : <Note role="status">{text.toSave}</Note>}
        </>
      ) : undefined}
    </Stack>
  )
}

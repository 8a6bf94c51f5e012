/** The mail of a campaign, and what became of it (contract/engagement.md *Mails of campaigns*). */
import { Schema } from "effect"
import { told } from "../Said.ts"
import { bounded, field, optional, whole } from "../Values.ts"

/** Longest subject and text of a mail, characters: what telephones show of a subject, and a screen of text. */
export const maxSubjectLength = 120
export const maxMailTextLength = 2_000

/** Days in which a mail is sent: it is no news later. */
export const defaultMailDays = 3
const maxMailDays = 30

const Subject = bounded(1, maxSubjectLength).check(
  Schema.isPattern(/^[^\r\n]*\S[^\r\n]*$/, { message: "must be one line that is not blank" })
)
const MailText = bounded(1, maxMailTextLength).check(Schema.isPattern(/\S/, { message: "must not be blank" }))

const words = {
  subject: field(Subject, "The subject."),
  text: field(MailText, "The text; an empty line begins a paragraph.")
}
const MailWords = Schema.Struct(words).annotate({ identifier: "CampaignMailWords" })

export const CampaignMail = Schema.Struct({
  ...words,
  texts: optional(
    Schema.Struct({
      en: optional(MailWords, "The mail in English."),
      de: optional(MailWords, "The mail in German.")
    }).annotate({ identifier: "CampaignMailTexts" }),
    "Subject and text by language, such as `de`: guests read that of their own, else `subject` and `text`."
  ),
  days: optional(
    whole(1, maxMailDays, told`must be a whole number from ${1} to ${maxMailDays}`),
    `Days after somebody was reached in which the mail is sent. Absent: ${defaultMailDays}.`
  )
}).annotate({
  identifier: "CampaignMail",
  description: "A mail to those who get something and have agreed to mail: one for each guest and campaign."
})
export type CampaignMail = typeof CampaignMail.Type

const Count = whole(0, Number.MAX_SAFE_INTEGER, "must be a count")

export const CampaignMailed = Schema.Struct({
  waiting: field(Count, "Mails that wait to be sent."),
  sent: field(Count, "Mails that the mail server took."),
  failed: field(Count, "Mails that it refused, or that could not be sent in time."),
  in_doubt: optional(
    Count,
    "Mails of which nobody knows whether they were sent: the service was stopped, or lost the mail server, in between."
  ),
  skipped: field(Count, "Guests who had withdrawn their consent, or were gone, when the mail was to be sent."),
  unsubscribed: field(Count, "Guests who withdrew their consent by a mail of this campaign."),
  rehearsed: optional(Count, "In a sandbox, which sends none: mails that a live service would have sent.")
}).annotate({ identifier: "CampaignMailed", description: "Mails of a campaign." })
export type CampaignMailed = typeof CampaignMailed.Type

/** Why somebody gets no mail of a campaign. */
export const MailRefusal = Schema.Literals(["already_mailed", "not_active", "no_email", "no_consent", "not_confirmed"])
export type MailRefusal = typeof MailRefusal.Type

export const MailForecast = Schema.Struct({
  open: field(Count, "Of those whom a run would reach, guests who would get the mail."),
  without: field(
    Schema.Array(
      Schema.Struct({
        code: field(
          MailRefusal,
          "`already_mailed`: had this campaign's mail. `not_active`: is suspended, or leaves. `no_email`: has no address. " +
            "`no_consent`: has not agreed to mail. `not_confirmed`: has not confirmed the address by a code."
        ),
        count: field(Count, "How many they are.")
      })
    ),
    "The others, by the reason."
  )
}).annotate({ identifier: "CampaignMailForecast", description: "Who would get the campaign's mail." })
export type MailForecast = typeof MailForecast.Type

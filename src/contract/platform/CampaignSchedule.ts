/** When a campaign may run, and its scheduled runs (contract/engagement.md *Schedules*). */
import { Schema } from "effect"
import { bounded, field, optional, Timestamp } from "../Values.ts"

export const Repeat = Schema.Struct({
  cron: field(
    bounded(9, 200),
    "Cron expression of five fields: minute, hour, day of the month, month, day of the week, such as `0 9 * * 1`."
  ),
  time_zone: optional(
    bounded(1, 64),
    "IANA time zone of the cron expression. Absent: the zone of the programme's tier policy, or UTC if it has none. A local time that does not exist on a day is skipped. One that occurs twice counts the first time."
  )
}).annotate({ identifier: "CampaignRepeat", description: "A repeated schedule by cron." })

export const Schedule = Schema.Struct({
  starts_at: optional(Timestamp, "The campaign cannot run before this instant. It does not start a run."),
  ends_at: optional(Timestamp, "No run starts at this instant or later."),
  repeat: optional(
    Repeat,
    "The service starts a run at each occurrence. Of several missed occurrences only the last one runs."
  )
}).annotate({
  identifier: "CampaignSchedule",
  description: "The time in which a campaign may run, and its scheduled runs."
})

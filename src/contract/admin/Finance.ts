/** Finance of a programme: what guests hold, how it came to be, and its worth (contract/finance.md *Roll-forward*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AccessOf } from "../Access.ts"
import { problems } from "../Description.ts"
import { PointValue } from "../ProgramFile.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { BusinessDate, field, Identifier, Integer, MoneySum, optional, Sum, Timestamp, Unit } from "../Values.ts"
import { adminPath, annotated, changeProblems, readProblems } from "./Endpoint.ts"
import examples from "./financeExamples.json" with { type: "json" }

const financePath = `${adminPath}/finance` as const

/** Longest range of a roll-forward, days: its sums are read by the day. */
export const maxRangeDays = 1_100

/** The lines of points, in the order of a statement. Each point of a ledger entry has exactly one. */
export const pointsLines = [
  "base",
  "promotions",
  "orders_up",
  "orders_down",
  "bonus_credits",
  "bonus_debits",
  "gift_credits",
  "gift_debits",
  "service_recovery_credits",
  "service_recovery_debits",
  "correction_credits",
  "correction_debits",
  "migration_credits",
  "migration_debits",
  "card_resets",
  "redeemed",
  "given_back",
  "expired",
  "moved"
] as const
export type PointsLine = (typeof pointsLines)[number]

/** The lines of a statement: what came late, those of points, what came and went with restaurants, and the change of a point's value. */
export const statementLines = ["late", ...pointsLines, "handed_over", "revalued"] as const
export type StatementLine = (typeof statementLines)[number]

/** How rewards come into wallets and leave them. */
export const rewardLines = ["given", "taken", "received", "restored", "used", "cancelled", "lapsed"] as const
export type RewardLine = (typeof rewardLines)[number]

export const rowKinds = ["unit", "month", "location", "franchisee"] as const

const Amount = {
  points: field(Sum, "Points; below zero where they left balances."),
  worth: optional(
    MoneySum,
    "What they are worth by the programme's `point_value`. Absent: not the primary account, or no value was ever in force."
  )
}

const Balance = Schema.Struct(Amount).annotate({
  identifier: "FinanceBalance",
  description: "Points that guests hold at an instant."
})
export type Balance = typeof Balance.Type

const Line = Schema.Struct({
  line: field(Schema.Literals(statementLines), "The kind of change."),
  ...Amount
}).annotate({ identifier: "FinanceLine", description: "One line of a statement." })
export type Line = typeof Line.Type

const Row = Schema.Struct({
  unit: field(Unit, "The account's unit."),
  month: optional(Schema.String, "With `by=month`: the month, YYYY-MM."),
  location_id: optional(
    Identifier,
    "With `by=location`: the location whose orders made the points. Absent there: the brand, which has all other points."
  ),
  franchisee_id: optional(
    Identifier,
    "With `by=franchisee`: whose restaurants' orders made the points. Absent there: the brand, which has all other points."
  ),
  opening: field(Balance, "Before the first day."),
  lines: field(Schema.Array(Line), "The changes, in a fixed order, without those of 0."),
  late: optional(
    Schema.Array(Line),
    "What `late` is made of: entries of days before, which were posted after the month before was closed."
  ),
  closing: field(Balance, "After the last day: `opening` and all lines."),
  below_zero: field(Sum, "The part of `closing` that balances below zero make; 0 or less."),
  below_zero_worth: optional(MoneySum, "Its worth on the last day. Absent: it is 0, or has no worth."),
  redeemed_here: field(Sum, "Points that were redeemed at the location, wherever they were made; 0 or less."),
  given_back_here: field(Sum, "Points of such redemptions that were given back.")
}).annotate({ identifier: "FinanceRow", description: "A statement of one account, place and time." })
export type Row = typeof Row.Type

const Rewards = Schema.Struct({
  reward_id: field(Identifier, "The reward."),
  in_wallets: field(Integer, "How many guests have after the last day, given or taken for points."),
  given: field(Integer, "How many were given free in the range."),
  used: field(Integer, "How many were used in the range, less those that were given back."),
  value: optional(MoneySum, "What one is worth, by its discount or `max_value` on the last day; absent: it has none.")
}).annotate({ identifier: "FinanceReward", description: "Rewards in wallets." })
export type Rewards = typeof Rewards.Type

const StatementCohort = Schema.Struct({
  unit: field(Unit, "The account's unit."),
  earned: field(Schema.String, "The month in which the points were earned, YYYY-MM."),
  issued: field(Sum, "Points that were added."),
  redeemed: field(Sum, "Points that were redeemed, less those that were given back; 0 or less."),
  expired: field(Sum, "Points that expired; 0 or less."),
  other: field(Sum, "Points that refunds, debits and full stamp cards took, and what merges and moves left."),
  open: field(Sum, "Points that guests hold of them.")
}).annotate({ identifier: "StatementCohort", description: "What became of a cohort up to the end of a month." })
export type StatementCohort = typeof StatementCohort.Type

export const statementFormat = 1

const Position = Schema.Struct({
  epoch: field(Integer, "Epochs of the journal begin with a start after a restore or a promotion."),
  transaction: field(Schema.String, "The transaction of the record, within its epoch."),
  account: field(Integer, "The account's number."),
  seq: field(Integer, "The number of the record in its account.")
}).annotate({ identifier: "JournalPosition", description: "A place in the journal." })

export const Statement = Schema.Struct({
  format: field(Schema.Literal(statementFormat), "The format of the statement."),
  program_id: field(Identifier, "The programme."),
  period: field(Schema.String, "The month, YYYY-MM."),
  time_zone: field(Schema.String, "The IANA zone of its days."),
  program_version: field(Integer, "The version that was in force when the month was closed."),
  position: field(Position, "The last record of the journal that it counts."),
  head: field(Schema.String, "SHA-256 over the hashes of all records up to there, hexadecimal."),
  rows: field(Schema.Array(Row), "One for each account."),
  places: field(Schema.Array(Row), "One for each account and location, the brand first."),
  franchisees: field(Schema.Array(Row), "One for each account and franchisee, the brand first."),
  rewards: field(Schema.Array(Rewards), "Rewards that were in wallets, came into them or left them."),
  cohorts: field(Schema.Array(StatementCohort), "By account, then by month of earning.")
}).annotate({ identifier: "FinanceStatement", description: "What was known of a month when it was closed." })
export type Statement = typeof Statement.Type

const Closing = Schema.Struct({
  period: field(Schema.String, "The month, YYYY-MM."),
  closed_at: field(Timestamp, "When it was closed."),
  closed_by: optional(Schema.String, "Who closed it. Absent: the caller is limited to restaurants."),
  sha256: field(Schema.String, "SHA-256 of the statement as it is kept, hexadecimal.")
}).annotate({ identifier: "FinanceClosing", description: "A closed month." })
export type Closing = typeof Closing.Type

const ClosingList = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  closings: field(Schema.Array(Closing), "The newest first."),
  first_period: optional(Schema.String, "The month of the first entry that is counted; absent: there is none."),
  next_period: optional(
    Schema.String,
    "The month that is closed next; absent: none was closed, and any may be the first."
  )
}).annotate({ identifier: "FinanceClosings" })
export type ClosingList = typeof ClosingList.Type

export const ClosedMonth = Schema.Struct({
  ...Closing.fields,
  closed_by: field(Schema.String, "Who closed it."),
  statement: field(Statement, "The statement.")
}).annotate({ identifier: "ClosedMonth" })
export type ClosedMonth = typeof ClosedMonth.Type

const Period = Schema.String.check(
  Schema.isPattern(/^20[0-9]{2}-(0[1-9]|1[0-2])$/, { message: "must be a month, YYYY-MM" })
).annotate({ identifier: "Month", examples: ["2026-07"] })

/** Most months of earning in an answer. */
export const maxCohorts = 60

const CohortMonth = Schema.Struct({
  month: field(Schema.String, "The month of the entries, YYYY-MM."),
  issued: field(Sum, "Points that were added: base, promotions, corrections upward and credits."),
  redeemed: field(Sum, "Points that were redeemed, less those that were given back; 0 or less."),
  expired: field(Sum, "Points that expired; 0 or less."),
  other: field(Sum, "Points that refunds, debits and full stamp cards took, and what merges and moves left."),
  open: field(Sum, "Points of the month of earning that guests hold after this month.")
}).annotate({ identifier: "CohortMonth", description: "What became of a cohort in a month." })

const Cohort = Schema.Struct({
  unit: field(Unit, "The account's unit."),
  earned: field(Schema.String, "The month in which the points were earned, YYYY-MM."),
  months: field(Schema.Array(CohortMonth), "The months with entries, the earliest first.")
}).annotate({ identifier: "Cohort", description: "Points that were earned in one month." })

export const Cohorts = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  time_zone: field(Schema.String, "The IANA zone of the months."),
  as_of: field(Timestamp, "Every record up to this instant is counted; later ones may be."),
  cohorts: field(Schema.Array(Cohort), "By account, then by month of earning.")
}).annotate({ identifier: "Cohorts" })
export type Cohorts = typeof Cohorts.Type

const CohortQuery = Schema.Struct({
  program_id: optional(Identifier, "The programme; absent: the only one that the caller may see."),
  from: field(Period, "The first month of earning."),
  until: field(Period, `The last one, at most ${maxCohorts} months.`)
})
export type CohortQuery = typeof CohortQuery.Type

const Close = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  period: field(Period, "The month to close, YYYY-MM in the programme's time zone.")
}).annotate({ identifier: "CloseMonth" })
export type Close = typeof Close.Type

const PointValueSince = Schema.Struct({
  since: optional(
    BusinessDate,
    "Its first day, which may be before the range. Absent: from the programme's first version on."
  ),
  value: optional(PointValue, "So many points and their worth. Absent: points were worth 0.")
}).annotate({
  identifier: "PointValueSince",
  description: "What points of the primary account were worth from a day on."
})
export type PointValueSince = typeof PointValueSince.Type

export const RollForward = Schema.Struct({
  program_id: field(Identifier, "The programme."),
  time_zone: field(Schema.String, "The IANA zone of the days."),
  as_of: field(Timestamp, "Every record up to this instant is counted; later ones may be."),
  from: field(BusinessDate, "The first day."),
  until: field(BusinessDate, "The day after the last one."),
  closed: optional(Closing, "The range is a closed month, and rows and rewards are those of its statement."),
  rows: field(Schema.Array(Row), "One for each account, and each month, place or franchisee of it."),
  rewards: field(Schema.Array(Rewards), "Rewards that were in wallets, came into them or left them."),
  point_values: field(
    Schema.Array(PointValueSince),
    "What a point was worth on the first day, then each change in the range, the earliest first."
  )
}).annotate({ identifier: "RollForward" })
export type RollForward = typeof RollForward.Type

const Query = Schema.Struct({
  program_id: optional(Identifier, "The programme; absent: the only one that the caller may see."),
  from: field(BusinessDate, "The first day, in the programme's time zone."),
  until: field(BusinessDate, `The day after the last one, at most ${maxRangeDays} days later.`),
  by: optional(
    Schema.Literals(rowKinds),
    "A row for each account (`unit`, the default), or for each month, location or franchisee of it."
  )
})
export type RollForwardQuery = typeof Query.Type

const programParams = { program_id: field(Identifier, "The programme.") }
const monthParams = { ...programParams, period: field(Identifier, "The month, YYYY-MM.") }

const codes: ReadonlyArray<ProblemCode> = [...readProblems, "not_found", "invalid_state"]
const closeCodes: ReadonlyArray<ProblemCode> = [...changeProblems, "not_found", "invalid_state"]

export class FinanceGroup extends HttpApiGroup.make("finance")
  .add(
    HttpApiEndpoint.get("rollForward", `${financePath}/roll-forward`, {
      query: Query,
      success: RollForward,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "finance.roll_forward",
        "Show how points came and went",
        "What guests held before the first day, each kind of change, and what they hold after the last day. `opening` and the lines are `closing`, to the point.",
        codes,
        examples.rollForward,
        true
      )
    ),
    HttpApiEndpoint.get("cohorts", `${financePath}/cohorts`, {
      query: CohortQuery,
      success: Cohorts,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "finance.cohorts",
        "Show what became of points",
        "Points by the month in which they were earned: what was redeemed, expired and open after each month.",
        codes,
        examples.cohorts,
        true
      )
    ),
    HttpApiEndpoint.post("closeMonth", `${financePath}/close`, {
      payload: Close,
      success: ClosedMonth,
      error: problems(closeCodes)
    })
      .annotate(AccessOf, { isRepeatable: true })
      .annotateMerge(
        annotated(
          "finance.close",
          "Close a month",
          "Keeps the month's statement for good. Months close in order, once all that was due in them is posted: else `invalid_state` with what is missing. A closed month answers its statement again.",
          closeCodes,
          examples.closeMonth
        )
      ),
    HttpApiEndpoint.get("listClosings", `${financePath}/closings/:program_id`, {
      params: programParams,
      success: ClosingList,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "finance.list_closings",
        "List closed months",
        "Who closed them, when, and the hash of each statement.",
        codes,
        examples.listClosings,
        true
      )
    ),
    HttpApiEndpoint.get("showClosing", `${financePath}/closings/:program_id/:period`, {
      params: monthParams,
      success: ClosedMonth,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "finance.show_closing",
        "Show a closed month",
        "The statement as it was told when the month was closed.",
        codes,
        examples.showClosing,
        true
      )
    ),
    HttpApiEndpoint.get("closingFile", `${financePath}/closings/:program_id/:period/file`, {
      params: monthParams,
      success: HttpApiSchema.StreamUint8Array({ contentType: "application/zip" }),
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "finance.closing_file",
        "Get a closed month as a file",
        "A zip of tables (`.csv`), made of the statement and the versions of the programme: the same bytes each time.",
        codes,
        examples.closingFile,
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Finance", description: "What guests hold, how it came to be, and what it is worth." })
  ) {}

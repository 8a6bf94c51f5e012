/**
 * Fields that the protocol's specification requires in a success, with their
 * types. Other enumeration values and further fields are allowed (contract/resources.md *Response bodies*).
 */
import { Exit, Schema, SchemaIssue } from "effect"
import { isObject, pointer } from "../contract/Decode.ts"
import type { OperationId } from "../contract/protocol/Operations.ts"
import { profile, protocolVersion } from "../contract/protocol/Protocol.ts"
import { Identifier, Integer, Money, Timestamp } from "../contract/Values.ts"

const Context = Schema.Struct({
  protocol_version: Schema.Literal(protocolVersion),
  profile: Schema.Literal(profile),
  request_id: Schema.String,
  processed_at: Timestamp
})

const Member = Schema.Struct({
  member_id: Identifier,
  program_id: Identifier,
  status: Schema.String,
  joined_at: Timestamp,
  identities: Schema.Array(Schema.Struct({ type: Schema.String, value: Schema.String }))
})

const Balance = Schema.Struct({
  account_id: Schema.String,
  member_id: Identifier,
  program_id: Identifier,
  unit: Schema.String,
  amount: Integer,
  reserved: Integer,
  available: Integer,
  as_of: Timestamp
})

const Entry = Schema.Struct({
  entry_id: Schema.String,
  member_id: Identifier,
  program_id: Identifier,
  account_id: Schema.String,
  operation: Schema.String,
  unit: Schema.String,
  amount: Integer,
  occurred_at: Timestamp
})

const UnitAmount = Schema.Struct({ unit: Schema.String, amount: Integer })

const IssuedReward = Schema.Struct({
  issued_reward_id: Schema.String,
  member_id: Schema.String,
  program_id: Schema.String,
  reward_id: Schema.String,
  status: Schema.String,
  issued_at: Timestamp,
  artifact: Schema.Struct({ type: Schema.String, value: Schema.String })
})

const Funding = Schema.Struct({ party_id: Schema.String, party_type: Schema.String, share_bps: Integer })

const Reservation = Schema.Struct({
  reservation_id: Schema.String,
  redemption_id: Schema.String,
  member_id: Schema.String,
  reward_id: Schema.String,
  order_id: Schema.String,
  status: Schema.String,
  cost: UnitAmount,
  effect: Schema.Struct({ type: Schema.String }),
  funding: Schema.Array(Funding),
  created_at: Timestamp,
  expires_at: Timestamp
})

const Strings = Schema.Array(Schema.String)

const Program = Schema.Struct({
  program_id: Identifier,
  name: Schema.String,
  currency: Schema.String,
  earning: Schema.Struct({
    rate: Schema.Struct({ unit: Schema.String, amount: Integer, spend: Money }),
    minimum_eligible_spend: Money,
    eligible_channels: Strings,
    rounding: Schema.String,
    exclusions: Schema.Struct({ product_ids: Strings, category_ids: Strings, tags: Strings, line_kinds: Strings })
  }),
  accounts: Schema.Array(Schema.Struct({ unit: Schema.String, is_primary: Schema.Boolean })),
  metrics: Schema.Array(Schema.Struct({ metric_id: Schema.String, name: Schema.String, unit: Schema.String })),
  tiers: Schema.Array(
    Schema.Struct({
      tier_id: Schema.String,
      name: Schema.String,
      qualification_metric_id: Schema.String,
      minimum: Integer
    })
  ),
  rewards: Schema.Array(
    Schema.Struct({
      reward_id: Schema.String,
      name: Schema.String,
      cost: UnitAmount,
      effect: Schema.Struct({ type: Schema.String }),
      funding: Schema.Array(Funding)
    })
  )
})

const balances = Schema.Array(Balance)
const posted = Schema.Struct({
  context: Context,
  entry: Entry,
  entries: Schema.optionalKey(Schema.Array(Entry)),
  balances
})
const reserved = Schema.Struct({ context: Context, reservation: Reservation, balances })
const issued = Schema.Struct({ context: Context, issued_reward: IssuedReward })

const shapes: { readonly [Id in OperationId]: Schema.ConstraintDecoder<unknown> } = {
  "member.lookup": Schema.Struct({ context: Context, member: Schema.NullOr(Member), balances }),
  "member.enroll": Schema.Struct({ context: Context, member: Member, balances }),
  "account.get": Schema.Struct({
    context: Context,
    member: Member,
    balances,
    metrics: Schema.Array(Schema.Struct({ metric_id: Schema.String, unit: Schema.String, amount: Integer })),
    expiring_balances: Schema.Array(
      Schema.Struct({ account_id: Schema.String, unit: Schema.String, amount: Integer, expires_at: Timestamp })
    )
  }),
  "program.get": Schema.Struct({ context: Context, program: Program }),
  "ledger.list": Schema.Struct({
    context: Context,
    entries: Schema.Array(Entry),
    next_cursor: Schema.optionalKey(Schema.NullOr(Schema.String))
  }),
  "ledger.manual_adjustment": posted,
  "order.evaluate": Schema.Struct({ context: Context, estimated_accrual: UnitAmount }),
  "accrual.post": posted,
  "order.adjust": posted,
  "redemption.reserve": reserved,
  "redemption.capture": reserved,
  "redemption.reverse": reserved,
  "issued_reward.issue": issued,
  "issued_reward.list": Schema.Struct({ context: Context, issued_rewards: Schema.Array(IssuedReward) }),
  "issued_reward.cancel": issued
}

const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

/** First fault of an answer whose context is not looked at. */
export const faultBesideContext = (id: OperationId, body: unknown): string | undefined => {
  const context = {
    protocol_version: protocolVersion,
    profile,
    request_id: "any",
    processed_at: "2026-07-14T10:00:00Z"
  }
  return fault(id, isObject(body) ? { ...body, context } : body)
}

/** First fault of an answer as `/place: message`; undefined if it has every required field. */
export const fault = (id: OperationId, body: unknown): string | undefined => {
  const exit = Schema.decodeUnknownExit(shapes[id])(body)
  const error = Exit.findErrorOption(exit)
  if (error._tag === "None") return undefined
  const [first] = formatIssue(error.value.issue).issues
  if (first === undefined) return "has another shape"
  const place = pointer((first.path ?? []).map((part) => (typeof part === "object" ? part.key : part)))
  return `${place === "" ? "the body" : place}: ${first.message}`
}

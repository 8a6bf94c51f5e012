/** The shape of a programme file (decisions.md §5): the protocol's definition and internal parts. */
import { Schema } from "effect"
import { MetricDefinition, ProgramDefinition } from "../contract/protocol/Program.ts"
import { Identifier, Integer, Unit } from "../contract/Values.ts"

export const Metric = Schema.Struct({
  ...MetricDefinition.fields,
  source: Schema.Literals(["current_balance", "lifetime_earned", "qualification_earned"])
})

export const ProgramFile = Schema.Struct({
  ...ProgramDefinition.fields,
  metrics: Schema.Array(Metric),
  limits: Schema.optionalKey(
    Schema.Struct({
      reservation_ttl_seconds: Schema.optionalKey(Integer),
      evaluation_ttl_seconds: Schema.optionalKey(Integer)
    })
  ),
  stamp_card: Schema.optionalKey(
    Schema.Struct({
      unit: Unit,
      threshold: Integer,
      reward_id: Identifier,
      resets: Schema.Boolean,
      reward_ttl_seconds: Schema.optionalKey(Integer)
    })
  )
})
export type ProgramFile = typeof ProgramFile.Type

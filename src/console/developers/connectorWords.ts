/** Words for a connector's events and attempts. Pure. */
import type { Connector } from "../../contract/platform/Connectors.ts"
import type { Attempt } from "../../contract/platform/Deliveries.ts"
import { crossedType } from "../../contract/platform/EventTypes.ts"
import { milliseconds, number } from "../shared/format.ts"
import { strings } from "../shared/strings.ts"
import { connectorStrings } from "./connectorStrings.ts"

const text = connectorStrings
const errors: Readonly<Record<string, string>> = text.errors
const typeWords: Readonly<Record<string, string>> = text.eventTypes

/** An event type in words: `proto.member.enrolled.v1` is “Member enrolled”. */
export const typeText = (type: string): string => {
  const name = type.split(".").slice(1, -1).join(".")
  return typeWords[name] ?? name
}

export const typesText = ({ event_types: types, thresholds = [] }: Connector["configuration"]): string => {
  // The balances say what is crossed.
  const named = types.filter((type) => type !== crossedType || thresholds.length === 0)
  const told = types.includes("*") ? text.all : named.map(typeText).join(", ")
  if (thresholds.length === 0) return told === "" ? text.noEvents : told
  const balances = thresholds
    .map(({ amount, unit }) => `${number(amount)} ${strings.values.inSentence(text.units[unit])}`)
    .join(", ")
  return told === "" ? text.watchesOnly(balances) : text.watches(told, balances)
}

export const programsText = (
  { program_ids: ids }: Connector["configuration"],
  nameOf: (id: string) => string
): string => (ids === undefined ? text.ofAll : text.of(ids.map(nameOf).join(", ")))

export const secretText = ({ secret }: Connector["configuration"]): string =>
  secret.configured ? text.signed(secret.last4 ?? "") : text.unsigned

/** Result of an attempt: “204 after 35 ms”. */
export const answerText = ({ duration_ms, error, status }: Attempt): string => {
  const took = milliseconds(duration_ms)
  if (status !== undefined) return text.answered(status, took)
  return text.unanswered(errors[error ?? ""] ?? error ?? "", took)
}

/** Words for a connector's events and attempts. Pure. */
import type { Connector } from "../../../contract/platform/Connectors.ts"
import type { Attempt } from "../../../contract/platform/Deliveries.ts"
import { connectorStrings } from "../../app/connectorStrings.ts"
import { milliseconds } from "../../app/format.ts"

const text = connectorStrings

/** An event type in words: `proto.member.enrolled.v1` is “Member enrolled”. */
export const typeText = (type: string): string => {
  const words = type.split(".").slice(1, -1).join(" ").replaceAll("-", " ")
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

export const typesText = ({ event_types: types }: Connector["configuration"]): string =>
  types.includes("*") ? text.all : types.map(typeText).join(", ")

export const programsText = (
  { program_ids: ids }: Connector["configuration"],
  nameOf: (id: string) => string
): string => (ids === undefined ? text.ofAll : text.of(ids.map(nameOf).join(", ")))

export const secretText = ({ secret }: Connector["configuration"]): string =>
  secret.configured ? text.signed(secret.last4 ?? "") : text.unsigned

/** What came of an attempt: “204 after 35 ms”. */
export const answerText = ({ duration_ms, error, status }: Attempt): string => {
  const took = milliseconds(duration_ms)
  if (status !== undefined) return text.answered(status, took)
  return text.unanswered(text.errors[error ?? ""] ?? error ?? "", took)
}

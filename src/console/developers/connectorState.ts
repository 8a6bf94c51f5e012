/** A connector's health in a word. Pure. */
import type { Connector } from "../../contract/platform/Connectors.ts"

/** `stopped`: disabled by the service. `disabled`: by a person. */
export type ConnectorState = "delivering" | "behind" | "failing" | "stopped" | "disabled"

/** Age of a change that is still to be read, ms, from which a connector is behind. */
const behindMs = 60_000

/** `now`: undefined in a sandbox. */
export const stateOf = (
  { enabled, health }: Pick<Connector, "enabled" | "health">,
  now: number | undefined
): ConnectorState => {
  if (!enabled) return health.disabled_reason === undefined ? "disabled" : "stopped"
  if (health.failing_since !== undefined) return "failing"
  const isLate =
    now !== undefined && health.undelivered_since !== undefined && now - Date.parse(health.undelivered_since) > behindMs
  return health.waiting > 0 || isLate ? "behind" : "delivering"
}

export const stateTones = {
  delivering: "good",
  behind: "waiting",
  failing: "bad",
  stopped: "bad",
  disabled: "neutral"
} as const

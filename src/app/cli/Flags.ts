/** The flags of commands by kind, each with its description. */
import { Flag } from "effect/cli"

/** Text that may be absent. */
export const optionalText = (name: string, description: string) =>
  Flag.optional(Flag.withDescription(Flag.String(name), description))

/** A whole number that may be absent. */
export const optionalInt = (name: string, description: string) =>
  Flag.optional(Flag.withDescription(Flag.Int(name), description))

/** False unless it is given. */
export const toggle = (name: string, description: string) =>
  Flag.withDefault(Flag.withDescription(Flag.Boolean(name), description), false)

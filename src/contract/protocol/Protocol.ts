/**
 * The protocol's name and everything derived from it: paths, markers, environment
 * names, versions, limits. The name is written only here.
 */
export const PROTOCOL = "proto"

/** `protocol` in the discovery document. */
export const protocolName = PROTOCOL.toUpperCase()
export const protocolVersion = "1.0"
export const profile = "foodservice/1.0"

/** Base path of the operations. */
export const basePath = `/${PROTOCOL}/v1`
export const discoveryPath = `/.well-known/${PROTOCOL}`
/** OpenAPI marker of operations that a client may retry automatically. */
export const retryMarker = `x-${PROTOCOL}-safe-to-retry`
/** Full name of one of the protocol's environment variables, such as `TOKEN`. */
export const environmentName = (name: string): string => `${PROTOCOL.toUpperCase()}_${name}`

/** Status of a service at its database. `joining`: it answers nothing yet. `leaving`: it hands over, or has done so. */
export const nodeRoles = ["joining", "node", "leaving"] as const

/** Largest request body, bytes; more is 413. */
export const maxBodyBytes = 1_048_576
/** Length of `context.idempotency_key`, characters. */
export const minIdempotencyKeyLength = 8
export const maxIdempotencyKeyLength = 255

/**
 * The protocol's name and what derives from it: paths, markers, environment
 * names, versions, limits. The word stands here once.
 */
export const PROTOCOL = "proto"

/** `protocol` in the discovery document. */
export const protocolName = PROTOCOL.toUpperCase()
export const protocolVersion = "1.0"
export const profile = "foodservice/1.0"

/** Where the operations live. */
export const basePath = `/${PROTOCOL}/v1`
export const discoveryPath = `/.well-known/${PROTOCOL}`
/** Marks the operations that a client may repeat in the machine-readable description. */
export const retryMarker = `x-${PROTOCOL}-safe-to-retry`
/** Name of an environment variable of the protocol's, such as `TOKEN`. */
export const environmentName = (name: string): string => `${PROTOCOL.toUpperCase()}_${name}`

/** Largest request body, bytes; more is 413. */
export const maxBodyBytes = 1_048_576
/** Length of `context.idempotency_key`, characters. */
export const minIdempotencyKeyLength = 8
export const maxIdempotencyKeyLength = 255

/** Signatures of deliveries, by Standard Webhooks (contract/events.md *Signatures*). */
import { createHmac, randomBytes } from "node:crypto"

const prefix = "whsec_"
/** Length of a secret that the service makes, bytes (contract/events.md *Connectors*). */
const secretBytes = 32

/** A new secret. */
export const newSecret = (): string => prefix + randomBytes(secretBytes).toString("base64")

const sign = (secret: string, text: string): string =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice(prefix.length), "base64"))
    .update(text)
    .digest("base64")}`

/** The headers of a delivery at `now`, ms, signed with each secret. */
export const headersOf = (
  secrets: ReadonlyArray<string>,
  { body, id, now }: { readonly id: string; readonly now: number; readonly body: string }
): Readonly<Record<string, string>> => {
  const timestamp = String(Math.floor(now / 1000))
  const signatures = secrets.map((secret) => sign(secret, `${id}.${timestamp}.${body}`))
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(signatures.length === 0 ? undefined : { "webhook-signature": signatures.join(" ") })
  }
}

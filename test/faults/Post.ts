/** Single requests beside the load, without retries. */
import { profile, protocolVersion } from "../../src/contract/protocol/Protocol.ts"

const program_id = "demo-foodservice"

let requests = 0

/** The body that enrols a member; without the identity it reads the member's account. */
export const enrolment = (member_id: string) => ({
  program_id,
  member_id,
  identity: { type: "loyalty_id", value: member_id, issuer: "faults" } as
    | { readonly type: string; readonly value: string; readonly issuer: string }
    | undefined
})

/** Sends a request; the status of its answer, undefined where the connection ended without one. */
export const post = async (port: number, path: string, payload: object): Promise<number | undefined> => {
  const id = `faults-post-${++requests}`
  const context = {
    protocol_version: protocolVersion,
    profile,
    request_id: id,
    idempotency_key: id,
    occurred_at: new Date().toISOString(),
    source: { system: `faults-${process.pid}` }
  }
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: { authorization: "Bearer proto-dev-token", "content-type": "application/json" },
      body: JSON.stringify({ context, ...payload })
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    // Every way in which a connection ends is the same to a caller.
    return undefined
  }
}

/** The answer's body; throws where the request is refused. */
export const send = async (port: number, method: string, path: string, body?: object) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: "Bearer proto-dev-token", "content-type": "application/json" },
    ...(body === undefined ? undefined : { body: JSON.stringify(body) })
  })
  if (response.status >= 300) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Readonly<Record<string, unknown>>
}

/** A proxy before a host that spoils what passes through it. */
import { Effect } from "effect"
import * as http from "node:http"

// biome-ignore lint/suspicious/noExplicitAny: spoiled bodies are any JSON
export type Json = any

interface Passing {
  readonly method: string
  readonly path: string
  /** Parsed; undefined where the request has no JSON body. */
  readonly sent: Json
  status: number
  readonly headers: Record<string, string>
  /** Parsed JSON, or text. */
  body: Json
}

export interface Misbehaviour {
  /** Changes the request before the host sees it. */
  readonly before?: (request: { readonly path: string; readonly headers: Record<string, string>; body: Json }) => void
  /** Changes the answer before the caller sees it. */
  readonly after?: (passing: Passing) => void
}

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const read = async (stream: http.IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const pass = async (
  host: string,
  misbehaviour: Misbehaviour,
  request: http.IncomingMessage,
  response: http.ServerResponse
): Promise<void> => {
  const bytes = await read(request)
  const text = bytes.toString("utf8")
  const path = request.url ?? "/"
  const method = request.method ?? "GET"
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
  for (const name of ["host", "content-length", "transfer-encoding", "connection", "accept-encoding"])
    delete headers[name]
  const asked = { path, headers, body: parsed(text) }
  misbehaviour.before?.(asked)
  const isChanged = typeof asked.body === "object" && JSON.stringify(asked.body) !== JSON.stringify(parsed(text))
  const answer = await fetch(`${host}${path}`, {
    method,
    headers,
    ...(bytes.length === 0 ? {} : { body: isChanged ? JSON.stringify(asked.body) : new Uint8Array(bytes) })
  })
  const passing: Passing = {
    method,
    path,
    sent: parsed(text),
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: parsed(await answer.text())
  }
  misbehaviour.after?.(passing)
  for (const name of ["content-length", "transfer-encoding", "connection", "keep-alive"]) delete passing.headers[name]
  response.writeHead(passing.status, passing.headers)
  response.end(typeof passing.body === "string" ? passing.body : JSON.stringify(passing.body))
}

/** The address of a proxy that lives as long as the scope. */
export const before = (host: string, misbehaviour: Misbehaviour) =>
  Effect.acquireRelease(
    Effect.callback<http.Server>((resume) => {
      const server = http.createServer((request, response) => {
        pass(host, misbehaviour, request, response).catch(() => response.destroy())
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      if (address === null || typeof address === "string") throw new Error("the proxy listens on a port")
      return `http://127.0.0.1:${address.port}`
    })
  )

/** A collector of traces in the test's own process: keeps the spans that services send. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

interface Received {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: Readonly<Record<string, unknown>> }>
}

interface Sent {
  readonly resourceSpans: ReadonlyArray<{
    readonly resource: { readonly attributes: Received["attributes"] }
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Received> }>
  }>
}

/** Listens on a port of its own. */
export const start = async () => {
  const spans: Array<Received> = []
  const paths = new Set<string>()
  const resources: Array<Readonly<Record<string, unknown>>> = []
  const server = createServer((incoming, outgoing) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      paths.add(incoming.url ?? "")
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Sent
      for (const { resource, scopeSpans } of resourceSpans) {
        resources.push(Object.fromEntries(resource.attributes.map(({ key, value }) => [key, value["stringValue"]])))
        for (const scope of scopeSpans) spans.push(...scope.spans)
      }
      outgoing.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, spans, paths, resources, close: () => server.close() }
}

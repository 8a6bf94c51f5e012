/** The limit: a plain Node server that parses JSON and sends it back. */
import { createServer } from "node:http"

const server = createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    const text = JSON.stringify(JSON.parse(bytes.toString("utf8")))
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) })
    response.end(text)
  })
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.send?.({ port: typeof address === "object" && address !== null ? address.port : 0 })
})
process.on("disconnect", () => process.exit())

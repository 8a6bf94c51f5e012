/** A receiver of webhooks that takes everything. `GET /` answers how many it has taken. */
import { createServer } from "node:http"

let taken = 0
const server = createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (request, response) => {
  request.resume()
  request.on("end", () => {
    if (request.method === "GET") return response.end(String(taken))
    taken++
    return response.writeHead(204).end()
  })
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.send?.({ port: typeof address === "object" && address !== null ? address.port : 0 })
})
process.on("disconnect", () => process.exit())

/**
 * The feed of events: `node test/bench/feed.ts [--entries 200000] [--streams 4000] [--polls 200]`.
 *
 * Reads a generated journal from the beginning; then accruals with a reader that waits, and how long after each is sent both
 * have their answers; then streams at once, and the memory of the service with them; then as many from the beginning that
 * nobody reads, and accruals beside them.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as net from "node:net"
import * as path from "node:path"
import { parseArgs } from "node:util"
import * as Testing from "../../src/app/testing/Testing.ts"
import { runFolder, until } from "../faults/Processes.ts"
import { Service } from "../faults/Service.ts"
import * as TestPostgres from "../TestPostgres.ts"

const { values } = parseArgs({
  options: { entries: { type: "string" }, streams: { type: "string" }, polls: { type: "string" } }
})
const entries = Number(values.entries ?? 200_000)
const streams = Number(values.streams ?? 4_000)
const polls = Number(values.polls ?? 200)

const program_id = "demo-foodservice"
const authorization = "Bearer proto-dev-token"
/** Connections of one address that the service takes. */
const perAddress = 900
/** Callers beside the one that is measured. */
const besides = 32
/** Accruals beside streams that nobody reads, ten a second. */
const unreadAccruals = 300

const say = (line: string) => process.stdout.write(`${line}\n`)
const median = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

interface Page {
  readonly events: ReadonlyArray<{ readonly type: string; readonly subject: string; readonly data: object }>
  readonly next: string
}

const read = async (port: number, query: Readonly<Record<string, string>>): Promise<Page> => {
  const url = `http://127.0.0.1:${port}/platform/v1/feed?${new URLSearchParams(query)}`
  const answer = await fetch(url, { headers: { authorization } })
  if (answer.status !== 200) throw new Error(`the feed: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Page
}

let sent = 0
const post = async (port: number, route: string, body: object): Promise<void> => {
  const context = { ...Testing.context(`feed-${process.pid}-${++sent}`) }
  const answer = await fetch(`http://127.0.0.1:${port}/proto/v1/${route}`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ context, ...body })
  })
  const text = await answer.text()
  if (answer.status !== 201) throw new Error(`${route}: ${answer.status} ${text}`)
}

const enrol = (port: number, member_id: string) =>
  post(port, "members/enroll", { program_id, member_id, identity: { type: "loyalty_id", value: member_id } })
const accrue = (port: number, member_id: string, id: string) =>
  post(port, "accruals", { member_id, order: Testing.order(id, 1_000, Testing.placedNow) })

/** Everything from the beginning; events a second. */
const readAll = async (port: number): Promise<void> => {
  const startedAt = performance.now()
  let count = 0
  for (let after = "0", found = 1; found > 0; ) {
    const page = await read(port, { after, limit: "1000" })
    found = page.events.length
    count += found
    after = page.next
  }
  const seconds = (performance.now() - startedAt) / 1_000
  say(`${count} events from the beginning: ${Math.round(count / seconds)} a second`)
}

/** Accruals of one caller beside others, and a reader that waits for each of them. */
const pollOf = async (port: number, withOthers: boolean): Promise<void> => {
  const members = Array.from({ length: besides }, (_, index) => `others-${withOthers}-${index}`)
  const member = `measured-${withOthers}`
  for (const one of [...members, member]) await enrol(port, one)
  let isOver = false
  const others = withOthers
    ? members.map(async (one) => {
        for (let n = 0; !isOver; n++) await accrue(port, one, `${one}-${n}`)
      })
    : []
  const [own, polled]: [Array<number>, Array<number>] = [[], []]
  for (let n = 0; n < polls; n++) {
    const { next } = await read(port, { member_id: member })
    const waiting = read(port, { after: next, member_id: member, wait_seconds: "25" })
    await new Promise((resolve) => setTimeout(resolve, 30))
    const at = performance.now()
    await Promise.all([
      accrue(port, member, `${member}-${n}`).then(() => own.push(performance.now() - at)),
      waiting.then(({ events }) => {
        // The order, and now and then a tier or a challenge that it brings.
        if (events.length === 0) throw new Error("the reader got no event")
        polled.push(performance.now() - at)
      })
    ])
  }
  isOver = true
  await Promise.all(others)
  say(
    `${withOthers ? `beside ${besides} callers` : "alone"}: an accrual is answered after ${median(own).toFixed(1)} ms, the reader that waits for it after ${median(polled).toFixed(1)} ms (median of ${polls})`
  )
}

const memoryMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024

/** Opens streams from several addresses; each must tell of one accrual. */
const openStreams = async (service: Service): Promise<void> => {
  const { pid, port } = service
  await enrol(port, "streamed")
  const before = memoryMb(pid)
  let [opened, told] = [0, 0]
  const requests: Array<http.ClientRequest> = []
  const open = (index: number) =>
    new Promise<void>((resolve, reject) => {
      const request = http.get({
        host: "127.0.0.1",
        localAddress: `127.0.1.${1 + Math.floor(index / perAddress)}`,
        port,
        path: "/platform/v1/feed/stream",
        headers: { authorization }
      })
      request.on("response", (response) => {
        if (response.statusCode !== 200) return reject(new Error(`stream ${index}: ${response.statusCode}`))
        let isTold = false
        response.on("data", (chunk: Buffer) => {
          if (!isTold && chunk.includes("proto.order.accrued")) {
            isTold = true
            told++
          }
        })
        opened++
        resolve()
      })
      request.on("error", reject)
      requests.push(request)
    })
  for (let from = 0; from < streams; from += 100)
    await Promise.all(Array.from({ length: Math.min(100, streams - from) }, (_, index) => open(from + index)))
  const with_ = memoryMb(pid)
  const at = performance.now()
  await accrue(port, "streamed", "streamed-1")
  await until("each stream tells the accrual", () => told === streams)
  say(
    `${opened} streams: ${Math.round(before)} MB before, ${Math.round(with_)} MB with them, ${Math.round(memoryMb(pid))} MB after one event, which the last of them had after ${Math.round(performance.now() - at)} ms`
  )
  for (const request of requests) request.on("error", () => undefined).destroy()
}

/** Asks for streams from the beginning and reads none of them; accruals go on beside them. */
const leaveUnread = async (service: Service): Promise<void> => {
  const { pid, port } = service
  await enrol(port, "beside-unread")
  const before = memoryMb(pid)
  let cut = 0
  const sockets = Array.from({ length: streams }, (_, index) => {
    const socket = net.connect({
      host: "127.0.0.1",
      localAddress: `127.0.1.${1 + Math.floor(index / perAddress)}`,
      port
    })
    socket.pause()
    socket.write(
      `GET /platform/v1/feed/stream?after=0 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\n\r\n`
    )
    socket.on("error", () => undefined).on("close", () => cut++)
    return socket
  })
  let most = before
  const own: Array<number> = []
  for (let n = 0; n < unreadAccruals; n++) {
    const at = performance.now()
    await accrue(port, "beside-unread", `beside-unread-${n}`)
    own.push(performance.now() - at)
    most = Math.max(most, memoryMb(pid))
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  say(
    `${streams} streams that nobody reads: ${Math.round(before)} MB before, ${Math.round(most)} MB at most, ${cut} cut; an accrual beside them is answered after ${median(own).toFixed(1)} ms, the slowest after ${Math.max(...own).toFixed(1)} ms (${unreadAccruals})`
  )
  for (const socket of sockets) socket.destroy()
}

const { folder, remove } = runFolder()
const server = await TestPostgres.start(path.join(folder, "data"))
let service: Service | undefined
try {
  const url = TestPostgres.urlOf(server.clientConfig)
  const generate = path.join(import.meta.dirname, "generate.ts")
  const accounts = String(Math.max(1, Math.round(entries / 10)))
  execFileSync(
    process.execPath,
    [generate, "--database-url", url, "--accounts", accounts, "--entries", String(entries)],
    { stdio: ["ignore", "ignore", "inherit"] }
  )
  service = await Service.start(folder, ["--database-url", url])
  await readAll(service.port)
  await pollOf(service.port, false)
  await pollOf(service.port, true)
  await openStreams(service)
  await leaveUnread(service)
} finally {
  await service?.stop()
  await server.stop()
  remove()
}
process.exit(process.exitCode)

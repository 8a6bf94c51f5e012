/**
 * Opens connections to receivers, whose addresses must be public (contract/events.md *Webhook addresses*).
 *
 * A name is resolved once for a connection, and what was checked is what is connected to. The address of the open
 * connection is checked again, before anything is written.
 */
import { Context } from "effect"
import * as dns from "node:dns"
import * as http from "node:http"
import * as https from "node:https"
import * as net from "node:net"
import * as tls from "node:tls"
import * as Bounds from "./Bounds.ts"
import { isPublicAddress } from "./WebhookUrl.ts"

/** Resolves a name to its addresses. */
export type Resolve = (host: string) => Promise<ReadonlyArray<dns.LookupAddress>>

export const Resolver = Context.Reference<Resolve>("lotbook/capabilities/webhooks/Resolver", {
  defaultValue: () => (host) => dns.promises.lookup(host, { all: true })
})

/** How connections are opened. `mayBePrivate`: any address will do. */
export interface Opening {
  readonly resolve: Resolve
  readonly mayBePrivate: boolean
  readonly maxSockets: number
}

const notPublic = () => Object.assign(new Error("the address is not public"), { code: "address_not_public" })

/** Fails if one of a name's addresses is not public: which one is connected to is chosen later. */
const lookupFor =
  ({ mayBePrivate, resolve }: Opening): net.LookupFunction =>
  (host, options, done) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses
        if (first === undefined) return done(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "")
        if (!mayBePrivate && !addresses.every(({ address }) => isPublicAddress(address))) return done(notPublic(), "")
        return options.all === true ? done(null, [...addresses]) : done(null, first.address, first.family)
      },
      (error) => done(error, "")
    )
  }

type Opened = (error: Error | null, socket?: net.Socket) => void

/** Hands over an open socket, unless its address is not public: then it is closed before anything is written. */
export const handOver = (socket: net.Socket, mayBePrivate: boolean, done: Opened): void => {
  if (mayBePrivate || isPublicAddress(socket.remoteAddress ?? "")) return done(null, socket)
  socket.destroy()
  done(notPublic())
}

const open = (opening: Opening, host: string, port: number, done: Opened): void => {
  // No name is resolved for these.
  if (net.isIP(host) !== 0 && !opening.mayBePrivate && !isPublicAddress(host)) return done(notPublic())
  const socket = net.connect({ host, port, lookup: lookupFor(opening), noDelay: true })
  socket.once("error", done)
  // The request is given up by then; without this, an address that answers nothing would hold its socket for minutes.
  socket.setTimeout(Bounds.answerMs, () => socket.destroy())
  socket.once("connect", () => {
    socket.off("error", done)
    handOver(socket, opening.mayBePrivate, done)
  })
}

/** Ends the time to connect: whatever the receiver needs, the request alone says how long it may take. */
const connected = (socket: net.Socket): net.Socket => socket.setTimeout(0).removeAllListeners("timeout")

/** The host of a URL as `net` takes it. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "")

/** An agent for the requests to one URL, which keeps its connections. */
export const agentFor = (url: URL, opening: Opening): http.Agent => {
  const isTls = url.protocol === "https:"
  const host = hostOf(url)
  const port = Number(url.port) || (isTls ? 443 : 80)
  const options = { keepAlive: true, maxSockets: opening.maxSockets, timeout: Bounds.idleSocketMs }
  const agent = isTls ? new https.Agent(options) : new http.Agent(options)
  agent.createConnection = (_, done) => {
    const opened: Opened = (error, socket) => {
      if (error !== null || socket === undefined) return done?.(error, undefined as never)
      if (!isTls) return done?.(null, connected(socket))
      const secure = tls.connect({ socket, ...(net.isIP(host) === 0 ? { servername: host } : { host }) })
      const failed = (cause: Error) => done?.(cause, undefined as never)
      secure.once("error", failed)
      secure.once("secureConnect", () => {
        secure.off("error", failed)
        connected(socket)
        done?.(null, secure)
      })
    }
    open(opening, host, port, opened)
    return undefined
  }
  return agent
}

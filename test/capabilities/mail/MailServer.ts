/** A mail server of the suite's own, which takes, refuses and keeps silent as a test says. */
import { Effect, Redacted } from "effect"
import { SMTPServer } from "smtp-server"
import type { AddressInfo } from "node:net"

interface Received {
  readonly to: ReadonlyArray<string>
  /** Headers and parts, with quoted-printable undone. */
  readonly text: string
}

export interface MailServer {
  readonly received: Array<Received>
  /** The answer to an address: 250, or a status that refuses it. */
  answer: (address: string) => number
  /** The answer to the sender, likewise. */
  answerSender: () => number
  /** Runs before a mail is taken. */
  before: () => Promise<void>
  readonly options: { url: Redacted.Redacted; from: string }
}

const plain = (raw: string): string =>
  Buffer.from(
    raw
      .replace(/=\r?\n/g, "")
      .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1"
  ).toString("utf8")

const refusal = (status: number) => Object.assign(new Error("refused"), { responseCode: status })

/** Listens until the scope closes. */
export const make = Effect.acquireRelease(
  Effect.promise(async () => {
    const state = {
      received: [] as Array<Received>,
      answer: (_: string) => 250,
      answerSender: () => 250,
      before: async () => {}
    }
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      logger: false,
      closeTimeout: 100,
      onMailFrom: (_address, _session, done) => {
        const status = state.answerSender()
        done(status === 250 ? null : refusal(status))
      },
      onRcptTo: ({ address }, _, done) => {
        const status = state.answer(address)
        done(status === 250 ? null : refusal(status))
      },
      onData: (stream, { envelope }, done) => {
        const chunks: Array<Buffer> = []
        stream.on("data", (chunk: Buffer) => chunks.push(chunk))
        stream.on("end", () => {
          void state.before().then(() => {
            state.received.push({
              to: envelope.rcptTo.map(({ address }) => address),
              text: plain(Buffer.concat(chunks).toString("latin1"))
            })
            done()
          })
        })
      }
    })
    server.on("error", () => undefined)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
    const { port } = server.server.address() as AddressInfo
    const options = { url: Redacted.make(`smtp://127.0.0.1:${port}`), from: "Corner Bowl <points@example.com>" }
    return { mail: Object.assign(state, { options }) as MailServer, server }
  }),
  ({ server }) => Effect.promise(() => new Promise<void>((resolve) => server.close(() => resolve())))
).pipe(Effect.map(({ mail }) => mail))

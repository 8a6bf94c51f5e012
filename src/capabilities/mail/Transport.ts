/** Hands mails to the mail server, with `nodemailer`, and tells what became of each (contract/mail.md *Sending*). */
import { Effect, Metric, Redacted } from "effect"
import type { Transporter } from "nodemailer"
import * as Bounds from "./Bounds.ts"
import * as Letters from "./Letter.ts"
import type { Kind, MailOptions } from "./Mail.ts"

/** `sent`: the mail server took it. `refused`: it never will. `late`: it could not be sent in time. */
export const outcomes = ["sent", "refused", "late"] as const
export type Outcome = (typeof outcomes)[number]

export const mailsTotal = (kind: Kind | "campaign", outcome: Outcome) =>
  Metric.counter("lotbook_mails_total", {
    description: "Mails that were sent, refused by the mail server, or not sent in time",
    attributes: { kind, outcome },
    incremental: true
  })

/** A fault of the mail server. `server`: all mails. `mail`: this one alone; `isFinal`: it never takes it. */
export interface Fault {
  readonly of: "server" | "mail"
  readonly isFinal: boolean
  /** True if the mail server may have taken the mail: it did not say. */
  readonly isInDoubt: boolean
  /** Without addresses, for the log. */
  readonly reason: string
}

/** An error of `nodemailer`; `command`: the one that was refused, or `API` if nothing was sent. */
interface MailError {
  readonly code?: unknown
  readonly command?: unknown
  readonly responseCode?: unknown
  readonly syscall?: unknown
}

/** Statuses of the session, whatever the command: it ends, is out of step, needs a sign-in or TLS (RFC 5321, RFC 4954). */
const ofSession: ReadonlySet<unknown> = new Set([421, 503, 530, 534, 535, 538])

/** True if the mail's content or its address was refused. The sender (`MAIL FROM`) is the same for all mails. */
const isOfMail = ({ code, command, responseCode }: MailError): boolean => {
  if (ofSession.has(responseCode)) return false
  return code === "EMESSAGE" || (code === "EENVELOPE" && (command === "RCPT TO" || command === "API"))
}

/** True unless nothing was sent: the name is unknown, nothing listens there, the sign-in or an address was refused. */
const mayBeTaken = ({ code, command, responseCode, syscall }: MailError): boolean =>
  typeof responseCode !== "number" &&
  code !== "EDNS" &&
  syscall !== "connect" &&
  command !== "API" &&
  command !== "AUTH"

const faultOf = (error: unknown): Fault => {
  const known: MailError = Object(error)
  const { code, command, responseCode } = known
  const reason = [code, responseCode, command].filter((one) => one !== undefined).join(" ") || "unknown"
  const isInDoubt = mayBeTaken(known)
  if (!isOfMail(known)) return { of: "server", isFinal: false, isInDoubt, reason }
  // Without a status the address itself cannot be sent to.
  return { of: "mail", isFinal: typeof responseCode !== "number" || responseCode >= 500, isInDoubt, reason }
}

const isOnThisMachine = (host: string): boolean => host === "localhost" || host === "[::1]" || host.startsWith("127.")

/** Connections of one batch: the settings may have changed by the next one. `connections`: most at once. */
export const open = ({ url }: MailOptions, connections = Bounds.connections) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { createTransport } = await import("nodemailer")
      const address = new URL(Redacted.value(url))
      return createTransport({
        host: address.hostname.replace(/^\[|\]$/g, ""),
        secure: address.protocol === "smtps:",
        ...(address.port === "" ? undefined : { port: Number(address.port) }),
        ...(address.username === ""
          ? undefined
          : { auth: { user: decodeURIComponent(address.username), pass: decodeURIComponent(address.password) } }),
        // Neither a password nor a code goes over the network in plain text.
        requireTLS: !isOnThisMachine(address.hostname),
        pool: true,
        maxConnections: connections,
        connectionTimeout: Bounds.connectMs,
        greetingTimeout: Bounds.connectMs,
        socketTimeout: Bounds.silentMs,
        disableFileAccess: true,
        disableUrlAccess: true
      })
    }),
    (opened) => Effect.sync(() => opened.close())
  )

const hostOf = (from: string): string => /@([^>\s]+)>?$/.exec(from)?.[1] ?? "localhost"

export interface Sent {
  /** The same for a mail that is sent again. */
  readonly id: string
  readonly to: string
  readonly letter: Letters.Letter
  /** PNG; undefined: there is none. */
  readonly logo: Uint8Array | undefined
}

/** A logo as a part of the mail itself: nothing is loaded when it is read, so nothing tells that it was. */
const partOf = (logo: Uint8Array) => ({
  cid: Letters.logoId,
  content: Buffer.from(logo),
  contentType: "image/png",
  contentDisposition: "inline" as const,
  filename: "logo.png"
})

/** Hands one mail over. One that is no answer to a person's request says where to end such mails (RFC 8058). */
export const send = (opened: Transporter, from: string, { id, letter, logo, to }: Sent): Effect.Effect<void, Fault> =>
  Effect.asVoid(
    Effect.tryPromise({
      try: () =>
        opened.sendMail({
          from,
          to: { name: "", address: to },
          subject: letter.subject,
          text: Letters.asText(letter),
          html: Letters.asHtml(letter, logo !== undefined),
          attachments: logo === undefined ? [] : [partOf(logo)],
          messageId: `<${id}@${hostOf(from)}>`,
          headers: {
            "Auto-Submitted": "auto-generated",
            ...(letter.unsubscribe === undefined
              ? undefined
              : {
                  "List-Unsubscribe": `<${letter.unsubscribe.url}>`,
                  "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"
                })
          }
        }),
      catch: faultOf
    })
  )

/** A host in memory that tills of the emulator call: it keeps the contract, save for a fault that it is given. */
import { Effect, Result } from "effect"
import * as fs from "node:fs"
import type { Post, Send } from "../../../../src/capabilities/tills/toast/emulator/Till.ts"
import { orderOf } from "../../../../src/capabilities/tills/toast/Order.ts"
import * as Wire from "../../../../src/capabilities/tills/toast/Wire.ts"
import * as Published from "./Published.ts"

const program: unknown = JSON.parse(
  fs.readFileSync(new URL("../../../../src/app/demo/program.demo.json", import.meta.url), "utf8")
)

export const url = "http://host/connect/toast/cnx_1"
const restaurant = { location_id: "l", brand_id: "b", merchant_id: "m", channel: "counter", time_zone: "UTC" } as const

/** A check as the host has it. */
interface Held {
  readonly member: string
  readonly points: number
  readonly modified: number
  readonly isReversed: boolean
}

type Fault = "forgets a reversal" | "counts a repeat twice" | "takes an older state" | "counts a gift card"

/** A host that keeps the contract, save for a fault. It answers some requests not at all, or with 500, if it is `slow`. */
export const hostOf = (fault?: Fault, isSlow = false) => {
  const members = new Map<string, string>()
  const checks = new Map<string, Held>()
  const extra = new Map<string, number>()
  const done = new Map<string, { readonly check: string } | undefined>()
  const types: Array<string> = []
  let count = 0

  const balanceOf = (member: string): number =>
    [...checks.values()].reduce(
      (sum, one) => sum + (one.member === member && !one.isReversed ? one.points : 0),
      extra.get(member) ?? 0
    )

  const accrue = (id: string, { checkTransactionInformation: { check, loyaltyIdentifier } }: Accrual): Wire.Answer => {
    if (loyaltyIdentifier === undefined) return { transactionStatus: "ACCEPT" }
    if (done.has(id)) {
      if (fault === "counts a repeat twice") extra.set(loyaltyIdentifier, (extra.get(loyaltyIdentifier) ?? 0) + 10)
      return { transactionStatus: "ACCEPT" }
    }
    const modified = Wire.instantOf(check.modifiedDate!)
    const before = checks.get(check.guid)
    done.set(id, { check: check.guid })
    const isOlder = before !== undefined && modified <= before.modified
    if (isOlder && fault !== "takes an older state") return { transactionStatus: "ACCEPT" }
    const facts = { order_id: check.guid, program_id: "p", currency: "USD", status: "paid", restaurant } as const
    const order = Result.getOrThrow(orderOf(check, facts)).order
    const spend = (order?.lines ?? []).reduce((sum, line) => {
      const isEarning = line.loyalty_eligible !== false || fault === "counts a gift card"
      return sum + (isEarning ? line.subtotal.amount - line.discount.amount : 0)
    }, 0)
    checks.set(check.guid, { member: loyaltyIdentifier, points: Math.floor(spend / 10), modified, isReversed: false })
    return { transactionStatus: "ACCEPT" }
  }

  const reverse = (transactionId: string): Wire.Answer => {
    const was = done.get(transactionId)
    if (was === undefined) {
      done.set(transactionId, undefined)
      return { transactionStatus: "ERROR_TRANSACTION_DOES_NOT_EXIST" }
    }
    const held = checks.get(was.check)
    if (held !== undefined && fault !== "forgets a reversal") checks.set(was.check, { ...held, isReversed: true })
    return { transactionStatus: "ACCEPT" }
  }

  const carryOut = (id: string, { body, type }: Wire.Transaction): Wire.Answer => {
    switch (type) {
      case "LOYALTY_SIGNUP": {
        const { email = "" } = body.signupTransactionInformation
        if (members.has(email)) return { transactionStatus: "ERROR_ALREADY_REGISTERED" }
        members.set(email, `member-${members.size + 1}`)
        return { transactionStatus: "ACCEPT", signupResponse: { loyaltyIdentifier: members.get(email)! } }
      }
      case "LOYALTY_SEARCH": {
        const identifier = members.get(body.searchTransactionInformation.searchCriteria.email ?? "") ?? "nobody"
        return { transactionStatus: "ACCEPT", searchResponse: { accounts: [{ identifier }] } }
      }
      case "LOYALTY_ACCRUE":
        return accrue(id, body)
      case "LOYALTY_REVERSE":
        return reverse(body.reverseTransactionInformation.transactionId)
      default:
        return { transactionStatus: "ACCEPT", checkResponse: { offers: [] } }
    }
  }

  const answers = new Map<string, Wire.Answer>()
  const till = ({ body, headers }: Post): { readonly status: number; readonly text: string } | undefined => {
    const id = headers[Wire.headers.transaction]!
    if (headers[Wire.headers.key] !== "Bearer key") throw new Error("another key")
    Published.checkRequest(headers[Wire.headers.type] ?? "", body)
    const read = Wire.read(headers[Wire.headers.type], new TextEncoder().encode(JSON.stringify(body)))
    const transaction = Result.getOrThrow(read)
    types.push(transaction.type)
    count++
    if (isSlow && count % 7 === 0 && transaction.type === "LOYALTY_ACCRUE")
      return { status: 500, text: `{"transactionStatus":"ERROR"}` }
    const isRepeat = answers.has(id) && fault !== "counts a repeat twice"
    const answer = isRepeat ? answers.get(id)! : carryOut(id, transaction)
    answers.set(id, answer)
    // Carried out, and the answer is lost.
    if (isSlow && count % 5 === 0) return undefined
    return { status: answer.transactionStatus === "ACCEPT" ? 200 : 400, text: JSON.stringify(answer) }
  }

  const send: Send = (post) =>
    Effect.sync(() => {
      if (post.url === url) return till(post)
      const context = { processed_at: "2026-07-14T12:00:00.000Z" }
      if (post.url.endsWith("/programs/get")) return { status: 200, text: JSON.stringify({ context, program }) }
      const { member_id } = post.body as { readonly member_id: string }
      const balances = [{ unit: "points", amount: balanceOf(member_id) }]
      return { status: 200, text: JSON.stringify({ context, balances }) }
    })
  return { send, types }
}

type Accrual = Extract<Wire.Transaction, { type: "LOYALTY_ACCRUE" }>["body"]

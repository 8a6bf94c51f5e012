/** The service in memory, with a clock of the test's own, and a client of it whose requests and answers can be lost. */
import { Layer, ManagedRuntime, Result } from "effect"
import { TestClock } from "effect/testing"
import type { Card, TillClient } from "lotbook/client"
import * as Testing from "../../src/app/testing/Testing.ts"
import { strictDecoder } from "../../src/contract/Decode.ts"
import type { OperationId, RequestOf, ResponseOf } from "../../src/contract/protocol/Operations.ts"
import { operations } from "../../src/contract/protocol/Operations.ts"
import { problemStatus } from "../../src/contract/protocol/Problem.ts"
import { fromMillis } from "../../src/contract/Values.ts"

export const programId = "demo-foodservice"
export const startedAt = Date.UTC(2026, 6, 14, 10)

export const card = (value: string): Card => ({ type: "loyalty_id", value, issuer: "till" })

type Body = Readonly<Record<string, unknown>> & { readonly context: { readonly idempotency_key: string } }

export interface Sent {
  readonly operation: OperationId
  readonly body: Body
  readonly key: string
}

/** Where a request is lost: on its way there, or its answer on the way back. An error is thrown in place of sending it. */
export type Loss = "request" | "answer" | Error | undefined

/** An error as the client's own are. */
export const errorOf = (facts: object): Error => Object.assign(new Error("as the service says"), facts)

const byPath = new Map(Object.entries(operations).map(([id, { path }]) => [path as string, id as OperationId]))
const decoders = Object.fromEntries(
  Object.entries(operations).map(([id, { request }]) => [id, strictDecoder(request as never)])
)

export class TillService {
  /** Requests that were carried out, in their order. */
  readonly done: Array<Sent> = []
  private readonly runtime = ManagedRuntime.make(Testing.layer().pipe(Layer.provideMerge(TestClock.layer())))

  async start(): Promise<this> {
    await this.runtime.runPromise(TestClock.setTime(startedAt))
    return this
  }

  close(): Promise<void> {
    return this.runtime.dispose()
  }

  /** Moves the service's clock. */
  advance(seconds: number): Promise<void> {
    return this.runtime.runPromise(TestClock.adjust(`${seconds} seconds`))
  }

  async call<Id extends OperationId>(id: Id, body: Body): Promise<ResponseOf<Id>> {
    return (await this.answerOf(id, body)).body
  }

  private async answerOf<Id extends OperationId>(id: Id, sent: Body) {
    const refuse = (code: keyof typeof problemStatus, detail: string, errors: ReadonlyArray<object> = []) =>
      errorOf({ kind: "problem", code, status: problemStatus[code], detail, errors, requestId: "r" })
    const decoded = decoders[id]!(sent)
    if (Result.isFailure(decoded)) throw refuse("validation_failed", String(decoded.failure))
    const handled = await this.runtime.runPromise(Testing.call(id, decoded.success as RequestOf<Id>))
    if (handled._tag === "Refusal") throw refuse(handled.code, handled.detail, handled.errors)
    if (handled._tag !== "Answer") throw refuse("storage_unavailable", handled._tag)
    this.done.push({ operation: id, body: sent, key: sent.context.idempotency_key })
    const context = { processed_at: fromMillis(handled.processedAt) }
    const body: object = { context, ...handled.body }
    return { body: body as ResponseOf<Id>, isReplay: handled.isReplay === true }
  }

  /** `lose` says of each request what becomes of it. */
  client(lose: (sent: Sent) => Loss | Promise<Loss> = () => undefined): TillClient {
    return {
      request: async ({ body: given, path, signal }) => {
        const body = JSON.parse(JSON.stringify(given)) as Body
        const operation = byPath.get(path)
        if (operation === undefined) throw new Error(`no operation has ${path}`)
        const loss = await lose({ operation, body, key: body.context.idempotency_key })
        if (signal.aborted) throw errorOf({ kind: "aborted" })
        if (loss instanceof Error) throw loss
        if (loss === "request") throw errorOf({ kind: "network" })
        const answer = await this.answerOf(operation, body)
        if (loss === "answer") throw errorOf({ kind: "network" })
        return answer
      }
    }
  }

  read<Id extends OperationId>(id: Id, payload: object): Promise<ResponseOf<Id>> {
    return this.call(id, { context: Testing.context(), ...payload } as never)
  }

  /** The member of a card. */
  async member(value: string): Promise<string | undefined> {
    const { member } = await this.read("member.lookup", { program_id: programId, identity: card(value) })
    return member?.member_id
  }

  async ledger(member_id: string) {
    const { entries } = await this.read("ledger.list", { member_id, program_id: programId, limit: 100 })
    return entries
  }

  async points(member_id: string) {
    const { balances } = await this.read("account.get", { member_id, program_id: programId })
    return balances[0]!
  }

  enroll(value: string) {
    return this.read("member.enroll", { program_id: programId, identity: card(value) })
  }
}

export const order = (id: string, amount = 1_000, overrides: object = {}) =>
  Testing.order(id, amount, { ...Testing.placedAt(startedAt), ...overrides })

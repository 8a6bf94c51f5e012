/** Decorates `Accounts` with a span for each call. */
import type { Tracer } from "effect"
import { Effect, Layer, Option } from "effect"
import { Headers, HttpTraceContext } from "effect/http"
import { Accounts } from "../../core/account/Accounts.ts"
import type { Command } from "../../core/account/Command.ts"
import * as Remote from "../../core/account/Remote.ts"
import * as Spans from "./Spans.ts"

const remember = (claims: ReadonlyArray<object | undefined>, span: Tracer.Span): void => {
  for (const claim of claims) if (claim !== undefined) Spans.remember(claim, span)
}

/** Runs an effect in a span, and stores the span for the claims: the journal's decorator finds it by them. */
const spanned = <A, E, R>(
  name: string,
  attributes: Readonly<Record<string, unknown>>,
  claims: ReadonlyArray<object | undefined>,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.useSpan(name, { attributes }, (span) => {
    remember(claims, span)
    return Effect.withParentSpan(effect, span)
  })

const traced = (accounts: Accounts["Service"]): Accounts["Service"] => {
  const ofCommand = <A>({ action: { type }, guards }: Command, effect: Effect.Effect<A>) =>
    spanned("account.execute", { "lotbook.command": type }, [guards.key, guards.business], effect)
  return {
    ...accounts,
    execute: (program, member, command) => ofCommand(command, accounts.execute(program, member, command)),
    executeOn: (account, commandOf, programs) =>
      Effect.useSpan("account.execute", (span) => {
        const known = (program: string): Command => {
          const command = commandOf(program)
          span.attribute("lotbook.command", command.action.type)
          remember([command.guards.key, command.guards.business], span)
          return command
        }
        return Effect.withParentSpan(accounts.executeOn(account, known, programs), span)
      }),
    enroll: (enrolment) => spanned("account.enroll", {}, [enrolment.key], accounts.enroll(enrolment)),
    merge: (program, request) => spanned("account.merge", {}, [], accounts.merge(program, request)),
    foreseeMerge: (program, from, into) =>
      spanned("account.preview", {}, [], accounts.foreseeMerge(program, from, into)),
    moveOrder: (program, request) => spanned("account.move", {}, [], accounts.moveOrder(program, request)),
    foreseeMove: (program, request) => spanned("account.preview", {}, [], accounts.foreseeMove(program, request)),
    preview: (program, member, command) =>
      spanned(
        "account.preview",
        { "lotbook.command": command.action.type },
        [],
        accounts.preview(program, member, command)
      ),
    read: (program, member, isOfItself) => spanned("account.read", {}, [], accounts.read(program, member, isOfItself)),
    readOn: (account, isOfItself) => spanned("account.read", {}, [], accounts.readOn(account, isOfItself))
  }
}

const claimsOf = (asked: Remote.Call): ReadonlyArray<object | undefined> => {
  if (asked.type === "execute") return [asked.command.guards.key, asked.command.guards.business]
  return asked.type === "enroll" ? [asked.enrolment.key] : []
}

/** A span for each call of another node that has one, as a child of that one. */
const tracedAnswer =
  (answer: Remote.AnswerCall): Remote.AnswerCall =>
  (asked) => {
    const { trace: traceparent, type } = asked
    const answered = answer(asked)
    if (answered === undefined || traceparent === undefined) return answered
    const parent = Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromInput({ traceparent })))
    if (parent === undefined) return answered
    const options = { parent, kind: "server", attributes: { "lotbook.call": type } } as const
    return Effect.useSpan("account.forwarded", options, (span) => {
      remember(claimsOf(asked), span)
      return Effect.withParentSpan(answered, span)
    })
  }

/** Decorates the accounts of a layer, and its answers to other nodes. */
export const layer = <E, R>(inner: Layer.Layer<Accounts, E, R>): Layer.Layer<Accounts, E, R> =>
  Layer.effect(Accounts, Effect.map(Accounts, traced)).pipe(
    Layer.provide(Layer.provide(inner, Layer.succeed(Remote.DecorateAnswer, tracedAnswer)))
  )

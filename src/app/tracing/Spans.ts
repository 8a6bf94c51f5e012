/**
 * Spans by the object that a request passes from part to part: its claim, then the
 * record with the claim. So the journal finds the span of the request that a record
 * belongs to. An entry lives as long as its object.
 */
import { Effect, Exit, type Tracer } from "effect"
import { machineTime } from "../../base/time/Times.ts"

const spans = new WeakMap<object, Tracer.Span>()

export const spanOf = (subject: object): Tracer.Span | undefined => spans.get(subject)

export const remember = (subject: object, span: Tracer.Span): void => void spans.set(subject, span)

/** A function that opens a child span and returns a function that ends it. For callbacks, which are not effects. */
export const opener = Effect.map(
  Effect.all([Effect.context<never>(), machineTime]),
  ([context, { wallNanos }]) =>
    (name: string, parent: Tracer.Span, attributes: Readonly<Record<string, unknown>>): (() => void) => {
      const run = Effect.runSyncWith(context)
      const span = run(Effect.makeSpan(name, { parent, attributes }))
      return () => span.end(wallNanos(), Exit.void)
    }
)

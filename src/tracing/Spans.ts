/**
 * The spans of what is in progress, by the object that passes from one part to
 * the next: a request's claim, then the record that has it. A part that knows an
 * object finds its parent; nothing is kept longer than the object.
 */
import { Clock, Effect, Exit, type Tracer } from "effect"

const spans = new WeakMap<object, Tracer.Span>()

export const spanOf = (subject: object): Tracer.Span | undefined => spans.get(subject)

export const remember = (subject: object, span: Tracer.Span): void => void spans.set(subject, span)

/** Opens spans below a parent, for parts that call back instead of returning an effect. */
export const opener = Effect.map(
  Effect.context<never>(),
  (context) =>
    (name: string, parent: Tracer.Span, attributes: Readonly<Record<string, unknown>>): (() => void) => {
      const run = Effect.runSyncWith(context)
      const span = run(Effect.makeSpan(name, { parent, attributes }))
      return () => span.end(run(Clock.currentTimeNanos), Exit.void)
    }
)

/** Runs an effect with a span of its own, which ends with it. */
export const within = Effect.useSpan

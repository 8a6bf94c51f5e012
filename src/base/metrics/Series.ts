/**
 * Metrics whose series exist from the start, so that a query for something that
 * never happened returns zero and not an empty result.
 */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"

const noUpdate = (): void => undefined

interface ReadOptions {
  readonly description: string
  readonly attributes?: Readonly<Record<string, string>>
}

const whileOpen = (
  register: (context: Parameters<typeof Metric.registerUnsafe>[1]) => Metric.Registration
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.flatMap(Effect.context<never>(), (context) =>
    Effect.acquireRelease(
      Effect.sync(() => register(context)),
      (registration) => Effect.sync(registration.remove)
    )
  )

/** Registers a gauge that is read whenever metrics are served, until the scope closes. */
export const gauge = (id: string, options: ReadOptions, read: () => number): Effect.Effect<void, never, Scope.Scope> =>
  whileOpen((context) =>
    Metric.registerUnsafe(Metric.gauge(id, options), context, {
      get: () => ({ value: read() }),
      update: noUpdate,
      modify: noUpdate
    })
  )

/** Registers a counter in the same way; `read` returns a count that another module keeps. */
export const counter = (
  id: string,
  options: ReadOptions,
  read: () => number
): Effect.Effect<void, never, Scope.Scope> =>
  whileOpen((context) =>
    Metric.registerUnsafe(Metric.counter(id, { ...options, incremental: true }), context, {
      get: () => ({ count: read(), incremental: true }),
      update: noUpdate,
      modify: noUpdate
    })
  )

/** Registers a summary in the same way; `read` returns what another module has measured. */
export const summary = (
  id: string,
  options: ReadOptions,
  read: () => Metric.SummaryState
): Effect.Effect<void, never, Scope.Scope> =>
  whileOpen((context) =>
    Metric.registerUnsafe(
      // Age, size and quantiles are for observations; this metric has none.
      Metric.summary(id, { ...options, maxAge: 0, maxSize: 0, quantiles: [] }),
      context,
      { get: read, update: noUpdate, modify: noUpdate }
    )
  )

/** Makes a metric visible from now on, even before its first update. */
export const begin = <Input, State>(metric: Metric.Metric<Input, State>): Effect.Effect<void> =>
  Effect.asVoid(Metric.value(metric))

/**
 * Decorates the journal: a span for each record of a traced request, from its queueing
 * to its outcome, and a span for each group with such a record.
 */
import { Effect, Layer } from "effect"
import type { Write } from "../../core/journal/GroupCommit.ts"
import { DecorateWrite } from "../../core/journal/GroupCommit.ts"
import { Journal } from "../../core/journal/Journal.ts"
import type { JournalRecord } from "../../core/journal/Records.ts"
import * as Spans from "./Spans.ts"

/** The span of the request that a record answers. */
const requestOf = ({ claims }: JournalRecord) => {
  for (const claim of claims) {
    const span = Spans.spanOf(claim)
    if (span !== undefined) return span
  }
  return undefined
}

const traced = (journal: Journal["Service"]) =>
  Effect.map(Spans.opener, (open): Journal["Service"] => ({
    ...journal,
    submit: (record, done) => {
      const parent = requestOf(record)
      if (parent === undefined || !parent.sampled) return journal.submit(record, done)
      Spans.remember(record, parent)
      const end = open("journal.submit", parent, { "lotbook.entries": record.entries.length })
      journal.submit(record, (outcome) => {
        end()
        done(outcome)
      })
    }
  }))

/** A group has records of many requests. Its span is a child of the first request's span, with links to the others. */
const tracedWrite =
  (write: Write): Write =>
  (group, isLinked) => {
    const [parent, ...others] = group.flatMap((record) => Spans.spanOf(record) ?? [])
    if (parent === undefined) return write(group, isLinked)
    return Effect.withSpan(write(group, isLinked), "journal.group", {
      parent,
      kind: "client",
      links: others.map((span) => ({ span, attributes: {} })),
      attributes: { "db.system.name": "postgresql", "lotbook.records": group.length }
    })
  }

/** Decorates the journal of a layer. */
export const layer = <E, R>(inner: Layer.Layer<Journal, E, R>): Layer.Layer<Journal, E, R> =>
  Layer.effect(Journal, Effect.flatMap(Journal, traced)).pipe(
    Layer.provide(Layer.provide(inner, Layer.succeed(DecorateWrite, tracedWrite)))
  )

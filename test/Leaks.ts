/**
 * Secrets that no row, no log line and no problem may show (contract/operators.md *Audit*): tokens and
 * keys, and members' identities outside the tables of personal data. Tests call
 * identity values `card-…`, and nothing else.
 */
import { Effect, Layer, Logger } from "effect"

/** Issued tokens; invitations; secrets of connectors; the keys of the tests' services. */
const secret =
  "(?:lot|inv)_[A-Za-z0-9_-]{43}|whsec_[A-Za-z0-9+/]{32}|proto-dev-token|proto-dev-admin-key|test-admin-key"
const identity = "(?:^|[^A-Za-z0-9_-])card-[A-Za-z0-9]"
/** Of e-mail: an attribute, which the audit does not hold. */
const address = '[^ "@]+@[^ "@]+[.][a-z]+'

/** Of members, copies that a test keeps (`kept_…`) included: they hold identities, or, as first results of keyed requests, answers that had them. An erasure empties each. */
const personal = ["members", "profiles", "shown_members", "keyed_requests", "behaviour"]

const pattern = new RegExp(`${secret}|${identity}`)

/** The first secret or identity value in a text. */
const leakIn = (text: string): string | undefined => pattern.exec(text)?.[0]

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`
const forbiddenIn = `CASE WHEN regexp_replace(relname, '^kept_', '') = ANY (ARRAY[${personal.map(quoted).join(", ")}]) THEN ${quoted(secret)}
  WHEN relname = 'audit' THEN ${quoted(`${secret}|${identity}|${address}`)} ELSE ${quoted(`${secret}|${identity}`)} END`

/** Each table with a leak: its name, and the place of the first one. An empty file holds no row: it is not searched. */
const search = `SELECT relname AS table, leak FROM pg_class, LATERAL (SELECT ${forbiddenIn} AS pattern) forbidden,
    LATERAL (SELECT CASE WHEN pg_relation_size(pg_class.oid) > 0 THEN query_to_xml(format('SELECT substring(r::text from %L) AS found FROM %s r WHERE r::text ~ %L LIMIT 1',
      '.{0,30}(?:' || pattern || ').{0,10}', pg_class.oid::regclass, pattern), false, true, '')::text END AS leak) searched
  WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND leak <> ''`

/** Fails where a row of the database shows one. */
export const rowsShowNone = <E>(
  query: (statement: string) => Effect.Effect<ReadonlyArray<unknown>, E>
): Effect.Effect<void> =>
  Effect.map(query(search), (rows) => {
    if (rows.length > 0) throw new Error(`A secret or an identity value is in a row: ${JSON.stringify(rows)}`)
  }).pipe(Effect.orDie)

/** Fails at its end where a line of the log showed one. */
export const logShowsNone: Layer.Layer<never> = Layer.unwrap(
  Effect.gen(function* () {
    const lines: Array<string> = []
    yield* Effect.addFinalizer(() =>
      lines.length === 0
        ? Effect.void
        : Effect.die(new Error(`A secret or an identity value is in the log: ${lines[0]}`))
    )
    const logger = Logger.map(Logger.formatJson, (line) => {
      if (leakIn(line) !== undefined) lines.push(line)
    })
    return Logger.layer([logger], { mergeWithExisting: true })
  })
)

/** The text of an answer; throws where it is a problem that shows one. */
export const shownTo = (status: number, text: string): string => {
  if (status >= 400 && leakIn(text) !== undefined)
    throw new Error(`A secret or an identity value is in a problem: ${text}`)
  return text
}

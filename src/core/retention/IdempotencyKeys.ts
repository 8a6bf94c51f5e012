/**
 * Keys beside a business id are dropped whole, a span at a time (contract/databases.md *Keys*). PostgreSQL's function decides: the
 * span is sealed, and 400 days over by its clock too, whatever it is asked for.
 */
import type { Rule } from "./Retention.ts"

export const retention: Rule = {
  kept: "idempotency_keys",
  clock: "machine",
  // A span a statement: its partition is dropped, whatever the number of rows.
  deletes: "SELECT deleted, more FROM drop_keys($1) WHERE $2::bigint > 0",
  oldest: `SELECT (SELECT extract(epoch FROM n.began_at) * 1000 FROM spans s JOIN spans n ON n.span = s.span + 1
    WHERE s.keys_ended_at IS NULL AND to_regclass('keys_' || s.span) IS NOT NULL ORDER BY s.span LIMIT 1)::float8 AS oldest`
}

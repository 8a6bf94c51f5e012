/** Parts of the feed's statements: a place is given by the first four parameters. */
import { PgTypes } from "@effect/sql-pg"
import * as SpanOf from "../../base/database/SpanOf.ts"
import { int8, xid8 } from "../../base/database/Values.ts"
import type * as Position from "./Position.ts"

export const inOrder = "epoch, transaction, account, seq"
export const given = "($1, $2, $3, $4)"
/** The first place that cannot be read yet. One row comparison, so that the index scan stops there. */
export const horizon = "((SELECT epoch FROM installation), pg_snapshot_xmin(pg_current_snapshot()))"

export const parameters = ({ account, epoch, seq, transaction }: Position.Position) => [
  PgTypes.int4(epoch),
  xid8(transaction),
  int8(account),
  int8(seq)
]

/** The span of a place: no span before it has a record after the place. */
export const spanOfPlace = "(SELECT max(b.span) FROM spans b WHERE b.span = 0 OR (b.epoch, b.transaction) <= ($1, $2))"

/**
 * The first span with a record after a place, readable or not: none of the spans before has another one. Ordered, so that no
 * other index than that of the order can be taken.
 */
const firstSpan = `(
    SELECT s.span FROM spans s LEFT JOIN archived_spans x ON x.span = s.span
    WHERE s.span >= ${spanOfPlace} AND CASE WHEN x.span IS NULL THEN (
      SELECT true FROM journal j WHERE j.span = s.span AND (j.epoch, j.transaction, j.account, j.seq) > ${given}
      ORDER BY j.epoch, j.transaction LIMIT 1
    ) ELSE (x.last_epoch, x.last_transaction, x.last_account, x.last_seq) > ${given} END ORDER BY s.span LIMIT 1) f`
/** The same. Refuses if it is archived. */
export const spanAfter = `(SELECT ${SpanOf.here("f.span")} FROM ${firstSpan})`
/** The same if it is archived. */
export const archivedAfter = `SELECT x.file, x.checksum, x.first_at AS "firstAt" FROM ${firstSpan} JOIN archived_spans x ON x.span = f.span`
/** True for a record whose span gets no more. */
export const isOver = `span < (SELECT span FROM installation) AS "isOver"`

/**
 * The records with accounts $1 and seqs $2 that made reservations. Of an archived span they are kept; another record there is
 * refused.
 */
export const madeHolds = `WITH made AS (SELECT * FROM unnest($1, $2) AS made(account, seq)),
    kept AS (SELECT k.* FROM made JOIN archived_holds k USING (account, seq)),
    others AS (SELECT account, seq FROM made EXCEPT SELECT account, seq FROM kept)
  SELECT account, seq, version, events FROM kept
  UNION ALL SELECT j.account, j.seq, j.version, j.events FROM others ${SpanOf.lies(
    SpanOf.here(SpanOf.ofRecord("others.account", "others.seq"))
  )} CROSS JOIN LATERAL (
      SELECT * FROM journal WHERE account = others.account AND seq = others.seq AND span = lies.span OFFSET 0
    ) j`

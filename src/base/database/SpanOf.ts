/**
 * The partition of a record or an entry, as an expression of SQL (contract/databases.md *Spans*): one look at
 * `account_spans`. A statement that names it reads that partition alone.
 */

const spanOf = (account: string, first: "first_n" | "first_seq", place: string): string =>
  `coalesce((SELECT l.span FROM account_spans l WHERE l.account = ${account} AND l.${first} <= ${place}
    ORDER BY l.first_seq DESC LIMIT 1), 0::smallint)`

/** The span of an account's record with a seq. */
export const ofRecord = (account: string, seq: string): string => spanOf(account, "first_seq", seq)

/** The span of an account's entry with an n. */
export const ofEntry = (account: string, n: string): string => spanOf(account, "first_n", n)

/**
 * The newest span of an account of those that a condition on `l` lets through; 0 where none is. The order by `first_seq` keeps
 * the planner at the account's own rows: by `max(l.span)` it may walk the spans of all accounts backwards.
 */
export const newest = (account: string, condition: string): string =>
  `coalesce((SELECT l.span FROM account_spans l WHERE l.account = ${account} AND ${condition}
    ORDER BY l.first_seq DESC LIMIT 1), 0::smallint)`

/** A span, as one whose records the statement needs. It fails if they lie in a file (`Archived`). */
export const here = (span: string): string => `span_here(${span})`

/**
 * A source `lies` for a join, with the span of each row's record or entry. OFFSET 0 keeps it a value, by which partitions
 * are chosen; an expression in the join's condition chooses none.
 */
export const lies = (span: string): string => `CROSS JOIN LATERAL (SELECT ${span} AS span OFFSET 0) lies`

/** The record of each row of `given`, which has account and seq: the columns of `j`, null where there is none here. */
export const joinRecords = (given: string): string => `${lies(ofRecord(`${given}.account`, `${given}.seq`))}
  LEFT JOIN LATERAL (
    SELECT * FROM journal WHERE account = ${given}.account AND seq = ${given}.seq AND span = lies.span OFFSET 0
  ) j ON true`

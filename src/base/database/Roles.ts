/**
 * The rights of the service's role (contract/databases.md *Roles*): one role owns the tables and migrates, another one
 * that owns nothing serves. A single role for both works too.
 */
import type { PgConnection } from "@effect/sql-pg"
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import { DatabaseStartError } from "./Database.ts"
import { oneOf, rowsOf, texts } from "./Values.ts"

/** Tables whose rows never change: triggers refuse it to the owner too. */
const appendOnly = ["journal", "ledger_entries", "seals", "finance_closings", "audit", "programs", "migrations"]

const ownedRow = oneOf(
  Schema.Struct({ role: Schema.String, owner: Schema.NullOr(Schema.String), owns: Schema.Boolean })
)

/** The session's role, and the owner of the tables; null in a database without any. `owns`: the role has the owner's rights. */
export const ownership = (connection: PgConnection.PgConnection) =>
  ownedRow(
    connection.query(
      `SELECT current_user::text AS role, pg_get_userbyid(c.relowner)::text AS owner,
        coalesce(pg_has_role(c.relowner, 'USAGE'), false) AS owns
      FROM (SELECT to_regclass('migrations') AS id) t LEFT JOIN pg_class c ON c.oid = t.id`
    )
  )

const sightRow = oneOf(Schema.Struct({ sees: Schema.Boolean }))

/** True if the session's role sees the transactions and locks of other roles. */
export const seesOthers = (connection: PgConnection.PgConnection) =>
  Effect.map(sightRow(connection.query("SELECT pg_has_role('pg_read_all_stats', 'USAGE') AS sees")), ({ sees }) => sees)

const statementRows = rowsOf(Schema.Struct({ statement: Schema.String }))

/**
 * The statements that give a role what the service needs. `%I` of `format` quotes names. Partitions are reached through
 * their table, whose rights are the ones that count.
 */
const statements = `WITH given AS (SELECT $1::text AS role, current_schema()::text AS schema)
  SELECT format('GRANT USAGE ON SCHEMA %I TO %I', schema, role) AS statement FROM given
  UNION ALL
  SELECT format('GRANT %s ON %I.%I TO %I',
      CASE WHEN c.relname = 'migrations' THEN 'SELECT' WHEN c.relname = ANY ($2) THEN 'SELECT, INSERT' ELSE 'SELECT, INSERT, UPDATE, DELETE' END,
      schema, c.relname, role)
    FROM given, pg_class c WHERE c.relnamespace = schema::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  UNION ALL
  SELECT format('GRANT USAGE, SELECT ON SEQUENCE %I.%I TO %I', schema, c.relname, role)
    FROM given, pg_class c WHERE c.relnamespace = schema::regnamespace AND c.relkind = 'S'
  UNION ALL
  SELECT format('GRANT EXECUTE ON FUNCTION %s TO %I', p.oid::regprocedure, role)
    FROM given, pg_proc p WHERE p.pronamespace = schema::regnamespace AND p.prosecdef`

const knownRow = oneOf(Schema.Struct({ known: Schema.Boolean }))

/** Gives `role` the rights to serve, and no others. Fails if there is no such role. Safe to repeat. */
export const grant = Effect.fnUntraced(function* (connection: PgConnection.PgConnection, role: string) {
  const { known } = yield* knownRow(
    connection.query("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1) AS known", [PgTypes.text(role)])
  )
  if (!known)
    return yield* new DatabaseStartError({
      message: `There is no role ${role}. Make it first: CREATE ROLE ${role} LOGIN PASSWORD '…'`
    })
  const rows = yield* statementRows(connection.query(statements, [PgTypes.text(role), texts(appendOnly)]))
  for (const { statement } of rows) yield* connection.query(statement)
})

/**
 * A large programme for the platform's questions, written by SQL: rows as the
 * rollups have them, without the journal that they would be made from, so that
 * ten million orders take minutes.
 */

import { PgConnection } from "@effect/sql-pg"
import { Effect } from "effect"
import { Database } from "../../src/base/database/Database.ts"

export interface Size {
  readonly members: number
  /** Orders of all members in the last year; each is an entry. */
  readonly orders: number
}

const year = 365 * 86_400_000
const locations = 40

/** Statements that fill empty tables; `end` is the present, ms. */
const statements = ({ members, orders }: Size, end: number): ReadonlyArray<string> => [
  "SET synchronous_commit = off",
  "SET maintenance_work_mem = '1GB'",
  "SET work_mem = '512MB'",
  "ALTER TABLE rollup_orders DROP CONSTRAINT rollup_orders_pkey",
  "CREATE TEMP TABLE kept AS SELECT indexname AS name, indexdef AS definition FROM pg_indexes WHERE tablename = 'rollup_orders'",
  "DO $$ DECLARE one record; BEGIN FOR one IN SELECT * FROM kept LOOP EXECUTE 'DROP INDEX ' || one.name; END LOOP; END $$",
  `INSERT INTO rollup_orders (account, order_id, program_id, at, location_id, business, accrued, earned_by, delta)
    SELECT o.account, 'order-' || n, 'demo-foodservice', o.at,
      'store-' || (n::bigint * 7919 + n / ${members}) % ${locations}, o.at / 86400000 * 86400000, 500 + n % 4000,
      o.account, CASE WHEN n % 50 = 0 THEN -200 ELSE 0 END
    FROM (SELECT n, 1 + n % ${members} AS account, ${end} - (random() * ${year})::bigint AS at
      FROM generate_series(1, ${orders}) n) o ORDER BY o.at`,
  `INSERT INTO rollup_buyers SELECT account, 'demo-foodservice', count(*), sum(spend), max(at),
    (array_agg(at ORDER BY at DESC))[2] FROM rollup_orders GROUP BY account`,
  "ALTER TABLE rollup_orders ADD PRIMARY KEY (account, order_id)",
  "DO $$ DECLARE one record; BEGIN FOR one IN SELECT * FROM kept LOOP EXECUTE one.definition; END LOOP; END $$",
  `INSERT INTO member_rollups (account, seq, program_id, member_id, status, joined, tier_id, tier_period, units, points_posted,
      points_reserved)
    SELECT n, 11, 'demo-foodservice', 'm-' || n,
      (CASE WHEN n % 20 = 0 THEN 'suspended' WHEN n % 33 = 0 THEN 'closed' ELSE 'active' END)::member_status,
      ${end - 2 * year} + n % 730 * 86400000::bigint, (ARRAY['starter', 'regular', 'vip'])[1 + n % 3], n % 2 - 1,
      '[["points",' || n::bigint * 7919 % 3000 || ',0,5000,1000]]', n::bigint * 7919 % 3000, 0
    FROM generate_series(1, ${members}) n`,
  `INSERT INTO rollup_members SELECT program_id, status, tier_period, tier_id, count(*) FROM member_rollups GROUP BY 1, 2, 3, 4`,
  `INSERT INTO rollup_joined SELECT program_id, joined / 900000 * 900000, count(*) FROM member_rollups GROUP BY 1, 2`,
  `INSERT INTO rollup_points SELECT program_id, 'points'::unit, sum(points_posted), 0 FROM member_rollups GROUP BY 1`,
  `INSERT INTO rollup_member_lots SELECT account, 'points'::unit, ${end} + (account * 104729 + i * 31) % 365 * 86400000::bigint, 1 + account % 90
    FROM member_rollups, generate_series(1, 3) i`,
  `INSERT INTO rollup_lots SELECT 'demo-foodservice', unit, expires_at / 900000 * 900000, sum(amount) FROM rollup_member_lots
    GROUP BY 2, 3`,
  `INSERT INTO rollup_sales SELECT program_id, span, at / span * span, location_id, count(*), sum(spend)
    FROM rollup_orders, unnest(ARRAY[900000, 86400000]) span GROUP BY 1, 2, 3, 4 ORDER BY 2, 3`,
  `INSERT INTO rollup_activity SELECT program_id, 'points'::unit, coalesce(location_id, ''), at / 900000 * 900000, count(*),
      sum(accrued), sum(accrued / 100), sum(accrued / 200), sum(accrued / 900), sum(accrued / 700), sum(delta / 100)
    FROM rollup_orders GROUP BY GROUPING SETS ((1, 2, location_id, 4), (1, 2, 4)) ORDER BY 4`,
  `INSERT INTO rollup_rewards SELECT program_id, span, at / span * span, location_id, 'reward-' || r, count(*), count(*), 0, 0, 0, 0
    FROM rollup_orders, unnest(ARRAY[900000, 86400000]) span, generate_series(1, 5) r WHERE at % 10 = r GROUP BY 1, 2, 3, 4, 5 ORDER BY 2, 3`,
  `INSERT INTO accounts SELECT account, 11, NULL, points_posted, status, program_id, member_id, to_timestamp(joined / 1000)
    FROM member_rollups`,
  `INSERT INTO members SELECT account, '[]', jsonb_build_object('city', (ARRAY['Berlin', 'Hamburg', 'Bremen'])[1 + account % 3])
    FROM member_rollups`,
  `INSERT INTO profiles (account, program_id, member_id, email, email_key, phone, birth_date, created_at, updated_at)
    SELECT account, program_id, member_id, 'm' || account || '@example.com', 'm' || account || '@example.com',
      CASE WHEN account % 3 = 0 THEN '+49' || account END, '1980-01-01'::date + (account % 9000)::int, joined, joined
    FROM member_rollups`,
  `INSERT INTO current_consents SELECT account, 'marketing', '', account % 3 <> 0, NULL, joined FROM member_rollups`,
  "VACUUM ANALYZE"
]

/** Fills a database that has the schema and nothing else. */
export const fill = Effect.fnUntraced(function* (
  size: Size,
  end: number,
  told: (statement: string, seconds: number) => void
) {
  const { clientConfig } = yield* Database
  const connection = yield* PgConnection.make({ ...clientConfig, applicationName: "lotbook bench" })
  for (const statement of statements(size, end)) {
    const began = performance.now()
    yield* connection.query(statement, [], false)
    told(statement, (performance.now() - began) / 1000)
  }
}, Effect.scoped)

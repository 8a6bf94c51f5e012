/** The products in the database (contract/operators.md *Products*). */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { Query } from "../../base/database/Pools.ts"
import { int8, jsonb, optional, rowsOf, texts } from "../../base/database/Values.ts"
import type { Refused } from "../../contract/Refused.ts"
import * as Bounds from "./Bounds.ts"
import type { Sold } from "./SoldProducts.ts"

const { int4, text } = PgTypes

const dayMs = 86_400_000

// In the order of the key: two nodes that write the same rows at once wait for each other, and never in a circle.
const writeStatement = `WITH sent AS (
    SELECT DISTINCT ON (program_id, product_id) * FROM jsonb_to_recordset($1) s(program_id text, product_id text, name text,
      category_ids text[], sold_at bigint)
      ORDER BY program_id, product_id, sold_at DESC
  )
  INSERT INTO sold_products AS p (program_id, product_id, name, category_ids, last_sold_at)
    SELECT program_id, product_id, name, category_ids, sold_at FROM sent ORDER BY program_id, product_id
    ON CONFLICT (program_id, product_id) DO UPDATE SET name = coalesce(excluded.name, p.name),
      category_ids = coalesce(excluded.category_ids, p.category_ids), last_sold_at = excluded.last_sold_at
    WHERE excluded.last_sold_at >= p.last_sold_at AND ((coalesce(excluded.name, p.name), coalesce(excluded.category_ids, p.category_ids))
        IS DISTINCT FROM (p.name, p.category_ids)
      OR excluded.last_sold_at >= p.last_sold_at + ${Bounds.soldMs})
  RETURNING program_id, xmax = 0 AS is_new`

const writtenRows = rowsOf(Schema.Struct({ program_id: Schema.String, is_new: Schema.Boolean }))

const trimStatement = `DELETE FROM sold_products WHERE program_id = $1 AND (last_sold_at < $2 OR product_id IN (
    SELECT product_id FROM sold_products WHERE program_id = $1
      ORDER BY last_sold_at DESC, product_id OFFSET ${Bounds.maxProducts}))`

/** The instant since which a product was sold that is not gone, ms. */
const keptFrom = (now: number): number => now - Bounds.keptDays * dayMs

/** Writes products. A programme that has new ones loses those that were not sold for long, or that are too many. */
export const write = Effect.fnUntraced(function* (
  query: Query,
  sold: ReadonlyArray<Sold>,
  now: number
): Effect.fn.Return<void, Refused> {
  const sent = sold.map(({ categories = null, name = null, product, program, soldAt }) => ({
    program_id: program,
    product_id: product,
    name,
    category_ids: categories,
    sold_at: soldAt
  }))
  const written = yield* writtenRows(query(writeStatement, [jsonb(sent)]))
  const grown = new Set(written.flatMap(({ is_new, program_id }) => (is_new ? [program_id] : [])))
  for (const program of grown) yield* query(trimStatement, [text(program), int8(keptFrom(now))])
})

/** A page of a list. `after`: the sorting values of the row before the page. */
export interface Asked {
  readonly program: string
  readonly search: string | undefined
  readonly after: ReadonlyArray<string> | undefined
  readonly limit: number
  /** ms, by the service's time. */
  readonly now: number
}

const Product = Schema.Struct({
  product_id: Schema.String,
  name: optional(Schema.String),
  category_ids: optional(Schema.Array(Schema.String)),
  last_sold_at: Schema.Number,
  sorted: Schema.String
})
export type Product = typeof Product.Type
const productRows = rowsOf(Product)

const Category = Schema.Struct({ category_id: Schema.String, products: Schema.Number })
export type Category = typeof Category.Type
const categoryRows = rowsOf(Category)

const productsStatement = `SELECT product_id, name, category_ids, last_sold_at, sorted
  FROM (SELECT *, lower(coalesce(name, product_id)) COLLATE "C" AS sorted FROM sold_products
    WHERE program_id = $1 AND last_sold_at >= $2) p
  WHERE strpos(lower(concat_ws(E'\\n', name, product_id, array_to_string(category_ids, E'\\n'))), lower($3)) > 0
    AND (cardinality($4) = 0 OR (sorted, product_id) > (($4)[1] COLLATE "C", ($4)[2]))
  ORDER BY sorted, product_id LIMIT $5`

const categoriesStatement = `SELECT category_id, count(*)::int AS products
  FROM (SELECT unnest(category_ids) COLLATE "C" AS category_id FROM sold_products
    WHERE program_id = $1 AND last_sold_at >= $2) c
  WHERE strpos(lower(category_id), lower($3)) > 0 AND (cardinality($4) = 0 OR category_id > ($4)[1])
  GROUP BY category_id ORDER BY category_id LIMIT $5`

const parametersOf = ({ after, limit, now, program, search = "" }: Asked) => [
  text(program),
  int8(keptFrom(now)),
  text(search),
  texts(after ?? []),
  int4(limit)
]

/** Products by name, each after the row before the page; those without a name by their id. */
export const products = (query: Query, asked: Asked): Effect.Effect<ReadonlyArray<Product>, Refused> =>
  productRows(query(productsStatement, parametersOf(asked)))

/** Categories by id, with the number of their products. */
export const categories = (query: Query, asked: Asked): Effect.Effect<ReadonlyArray<Category>, Refused> =>
  categoryRows(query(categoriesStatement, parametersOf(asked)))

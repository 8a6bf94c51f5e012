/** The routes of the products that tills sell. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PeoplePool, type Query } from "../../base/database/Pools.ts"
import { serviceTime } from "../../base/time/Times.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { ProductQuery, SoldProduct } from "../../contract/admin/Products.ts"
import type { Refused } from "../../contract/Refused.ts"
import { fromMillis } from "../../contract/Values.ts"
import { Journal } from "../../core/journal/Journal.ts"
import { Programs } from "../../core/programs/Programs.ts"
import { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import { paged, pageOf } from "../../desk/surface/Paging.ts"
import * as Visible from "../../desk/surface/Visible.ts"
import * as ProductStore from "./ProductStore.ts"

const shown = ({ category_ids, last_sold_at, name, product_id }: ProductStore.Product): SoldProduct => ({
  product_id,
  ...(name === undefined ? undefined : { name }),
  ...(category_ids === undefined || category_ids.length === 0 ? undefined : { category_ids }),
  last_sold_at: fromMillis(last_sold_at)
})

export const layer = HttpApiBuilder.group(AdminApi, "products", (handlers) =>
  Effect.gen(function* () {
    const { claimKey } = yield* Journal
    const { query } = yield* PeoplePool
    const programs = yield* Programs
    const { now } = yield* serviceTime

    /** A page of what `read` finds; `sortedBy`: the values by which a row is sorted. */
    const listed = Effect.fnUntraced(function* <Row>(
      list: string,
      program: string,
      { search, ...page }: ProductQuery,
      read: (query: Query, asked: ProductStore.Asked) => Effect.Effect<ReadonlyArray<Row>, Refused>,
      sortedBy: (row: Row) => ReadonlyArray<string>
    ) {
      yield* Visible.named(programs, yield* CurrentCaller, program)
      const named = [list, program, search]
      const asked = yield* pageOf(claimKey, named, page)
      const after = asked.after === undefined ? undefined : (JSON.parse(asked.after) as ReadonlyArray<string>)
      const rows = yield* read(query, { program, search, after, limit: asked.limit + 1, now: now() })
      return paged(claimKey, named, asked, rows, (row) => JSON.stringify(sortedBy(row)))
    })

    return handlers
      .handle("listProducts", ({ params: { program_id }, query: asked }) =>
        Effect.map(
          listed("products", program_id, asked, ProductStore.products, ({ product_id, sorted }) => [
            sorted,
            product_id
          ]),
          ({ rows, ...next }) => ({ products: rows.map(shown), ...next })
        )
      )
      .handle("listCategories", ({ params: { program_id }, query: asked }) =>
        Effect.map(
          listed("categories", program_id, asked, ProductStore.categories, ({ category_id }) => [category_id]),
          ({ rows, ...next }) => ({ categories: rows, ...next })
        )
      )
  })
)

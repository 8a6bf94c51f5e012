/** Products and categories that tills sell, to choose from (contract/operators.md *Products*). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { problems } from "../Description.ts"
import type { ProblemCode } from "../protocol/Problem.ts"
import { Refusals } from "../Refused.ts"
import { field, Integer, optional, RecordedId, Text, Timestamp } from "../Values.ts"
import { annotated, listProblems, nextCursor, page } from "./Endpoint.ts"
import { params, programPath } from "./ProgramsInForce.ts"

export const SoldProduct = Schema.Struct({
  product_id: field(RecordedId, "`product_id` of its lines."),
  name: optional(Text, "Its name as it was sold last; absent: tills sent none."),
  category_ids: optional(Schema.Array(RecordedId), "Its categories as it was sold last, at most 20; absent: none."),
  last_sold_at: field(Timestamp, "When it was last in an order that accrued, up to an hour early.")
}).annotate({ identifier: "SoldProduct" })
export type SoldProduct = typeof SoldProduct.Type

const SoldCategory = Schema.Struct({
  category_id: field(RecordedId, "The category's id."),
  products: field(Integer, "Number of products in it.")
}).annotate({ identifier: "SoldCategory" })

const ProductList = Schema.Struct({
  products: field(Schema.Array(SoldProduct), "The page, by name; those without a name by id."),
  next_cursor: nextCursor
}).annotate({ identifier: "SoldProductList" })

const CategoryList = Schema.Struct({
  categories: field(Schema.Array(SoldCategory), "The page, by id."),
  next_cursor: nextCursor
}).annotate({ identifier: "SoldCategoryList" })

export const ProductQuery = Schema.Struct({
  search: optional(Text, "Any part of a name or an id, in any case; of a product also of its categories."),
  ...page
})
export type ProductQuery = typeof ProductQuery.Type

const codes: ReadonlyArray<ProblemCode> = [...listProblems, "not_found"]

const bowl = {
  product_id: "bowl-01",
  name: "Harvest Bowl",
  category_ids: ["bowls"],
  last_sold_at: "2026-07-14T18:00:00.000Z"
}

export class Products extends HttpApiGroup.make("products")
  .add(
    HttpApiEndpoint.get("listProducts", `${programPath}/products`, {
      params,
      query: ProductQuery,
      success: ProductList,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "product.list",
        "List the products that tills sell",
        "Those of accruals of the last 760 days, at most 10,000. A new one is there about a minute after its first sale.",
        codes,
        { query: { search: "bowl" }, response: { products: [bowl] } },
        true
      )
    ),
    HttpApiEndpoint.get("listCategories", `${programPath}/categories`, {
      params,
      query: ProductQuery,
      success: CategoryList,
      error: problems(codes)
    }).annotateMerge(
      annotated(
        "category.list",
        "List the categories of products that tills sell",
        "Those of the listed products.",
        codes,
        { query: { search: "bow" }, response: { categories: [{ category_id: "bowls", products: 12 }] } },
        true
      )
    )
  )
  .middleware(Refusals)
  .annotateMerge(
    OpenApi.annotations({ title: "Products", description: "Products and categories that tills sell, to choose from." })
  ) {}

/** Names of the products that tills sell. */
import { useQuery } from "@tanstack/react-query"
import { Products } from "../../../contract/admin/Products.ts"
import { call, client } from "../client.ts"
import { useProgramId } from "../program.tsx"
import { useMay } from "../session.tsx"

const admin = client(Products)

/** Pages of 200 that are read at most: a menu has few, and ids of others stay as they are. */
const mostPages = 5
/** While so old, names are not asked for again, ms. */
const freshMs = 300_000

const namesOf = async (program_id: string): Promise<ReadonlyMap<string, string>> => {
  const names = new Map<string, string>()
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const query = { limit: "200", ...(cursor === undefined ? {} : { cursor }) }
    const { next_cursor, products } = await call(admin.products.listProducts({ params: { program_id }, query }))
    for (const { name, product_id } of products) if (name !== undefined) names.set(product_id, name)
    if (next_cursor === undefined) break
    cursor = next_cursor
  }
  return names
}

/** The name of a product; of any other id, the id. */
export const useSoldName = (): ((id: string) => string) => {
  const program = useProgramId()
  const { data } = useQuery({
    queryKey: ["sold-names", program],
    enabled: useMay()("listProducts") && program !== undefined,
    retry: false,
    staleTime: freshMs,
    queryFn: () => namesOf(program ?? "")
  })
  return (id) => data?.get(id) ?? id
}

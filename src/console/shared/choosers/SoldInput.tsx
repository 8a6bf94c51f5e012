/** A field for products, or for categories, that offers those that tills sell. */
import { useDebouncedValue } from "@mantine/hooks"
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Products } from "../../../contract/admin/Products.ts"
import { call, client } from "../client.ts"
import { number } from "../format.ts"
import { useProgramId } from "../program.tsx"
import { useMay } from "../session.tsx"
import { chooserStrings } from "./chooserStrings.ts"
import type { Choice, IdsProps } from "./IdsInput.tsx"
import { IdsInput } from "./IdsInput.tsx"

const admin = client(Products)

export type SoldKind = "products" | "categories"

/** Choices that are offered at most, and among which a whole id is looked for. */
const most = { offered: "50", looked: "200" } as const

/** While so old, an answer is not asked for again, ms. */
const freshMs = 60_000

const choicesOf = async (
  of: SoldKind,
  program_id: string,
  search: string,
  limit: string
): Promise<ReadonlyArray<Choice>> => {
  const asked = { params: { program_id }, query: { limit, ...(search === "" ? {} : { search }) } }
  if (of === "products") {
    const { products } = await call(admin.products.listProducts(asked))
    return products.map(({ category_ids, name, product_id: id }) => ({ id, name, more: category_ids?.join(", ") }))
  }
  const { categories } = await call(admin.products.listCategories(asked))
  return categories.map(({ category_id: id, products: n }) => ({ id, more: chooserStrings.productsOf(n, number(n)) }))
}

export const SoldInput = ({ of, ...props }: IdsProps & { readonly of: SoldKind }) => {
  const program = useProgramId()
  const enabled = useMay()("listProducts") && program !== undefined
  const [typed, setTyped] = useState("")
  const [search] = useDebouncedValue(typed.trim(), 200)
  const ask = (text: string, limit: string) => ({
    queryKey: ["sold", of, program, text, limit],
    enabled,
    retry: false,
    staleTime: freshMs,
    queryFn: () => choicesOf(of, program ?? "", text, limit)
  })
  const offered = useQuery({ ...ask(search, most.offered), placeholderData: keepPreviousData })
  const looked = useQueries({ queries: props.value.map((id) => ask(id, most.looked)) })
  const isKnown = looked.every(({ isSuccess }) => isSuccess)
  const known = props.value.flatMap((id, place) => looked[place]?.data?.filter((one) => one.id === id) ?? [])
  return (
    <IdsInput
      {...props}
      choices={offered.data ?? []}
      known={isKnown ? known : undefined}
      onSearch={setTyped}
      unknown={chooserStrings.unknown[of]}
    />
  )
}

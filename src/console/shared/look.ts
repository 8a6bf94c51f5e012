/** The look of the business: read before the sign-in too. */
import { useQuery } from "@tanstack/react-query"
import { Business } from "../../contract/admin/Business.ts"
import { call, client } from "./client.ts"
import { strings } from "./strings.ts"

export const business = client(Business).business

export const lookKey = "look"

export const useLook = () =>
  useQuery({
    queryKey: [lookKey],
    queryFn: () => call(business.showBusiness()),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false
  })

/** The name of the business as people see it; undefined: it is not known yet. */
export const useBusinessName = (): string | undefined => {
  const { data, isPending } = useLook()
  return isPending ? undefined : (data?.name ?? strings.product)
}

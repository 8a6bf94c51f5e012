/** Figures of the day and the state of the service, read again every 5 s while a page shows them. */
import { useQuery } from "@tanstack/react-query"
import { Overviews } from "../../contract/admin/Overview.ts"
import { call, client } from "./client.ts"
import { useProgramId } from "./program.tsx"

const admin = client(Overviews)

/** `answeredAt`: when the service answered, ms, by its machine's clock. */
export const useOverview = () => {
  const id = useProgramId()
  return useQuery({
    queryKey: ["overview", id],
    refetchInterval: 5_000,
    // Requested before the programme was known, the figures are the first programme's. Keeps them during the next request.
    placeholderData: (before, query) => (query?.queryKey[1] === undefined ? before : undefined),
    queryFn: async () => {
      const query = id === undefined ? {} : { program_id: id }
      const [overview, { headers }] = await call(
        admin.overview.overview({ query, responseMode: "decoded-and-response" })
      )
      return { overview, answeredAt: Date.parse(headers["date"] ?? overview.as_of) }
    }
  })
}

/** Connected tills, and what came over them. */
import { useQuery } from "@tanstack/react-query"
import { Connections } from "../../contract/admin/Connections.ts"
import { call, client } from "../shared/client.ts"

export const admin = client(Connections)

/** Interval at which connections and their transactions are fetched, ms. */
export const tillsMs = 5_000

export const useConnection = (connection_id: string) =>
  useQuery({
    queryKey: ["connections", "one", connection_id],
    refetchInterval: tillsMs,
    queryFn: () => call(admin.connections.showConnection({ params: { connection_id } }))
  })

/** The address for the till's settings, as this page reaches the service. */
export const addressOf = ({ path }: { readonly path: string }): string => `${location.origin}${path}`

/** `refused`: a wrong key, or a paused connection. `unmapped`: the restaurant is not listed. A number: another status. */
type Outcome = "good" | "refused" | "unmapped" | number

/** A number that nobody has: those from 555-0100 to 555-0199 are for examples. */
const nobody = "2025550100"

/** The status that an answer to the till has; undefined without one. */
const statusIn = (answer: unknown): unknown =>
  typeof answer === "object" && answer !== null && "transactionStatus" in answer ? answer.transactionStatus : undefined

/** Asks as a till of Toast does, for a guest who does not exist. */
export const tryKey = async (path: string, key: string, restaurant: string): Promise<Outcome> => {
  const answer = await fetch(path, {
    method: "POST",
    credentials: "omit",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${key}`,
      "toast-transaction-type": "LOYALTY_SEARCH",
      "toast-transaction-guid": crypto.randomUUID(),
      "toast-restaurant-external-id": restaurant
    },
    body: JSON.stringify({ searchTransactionInformation: { searchCriteria: { phone: nobody } } })
  })
  if (answer.ok || answer.status === 404) return "good"
  const status = statusIn(await answer.json().catch(() => undefined))
  if (status === "ERROR_INVALID_TOKEN") return "refused"
  return status === "ERROR_INVALID_RESTAURANT" ? "unmapped" : answer.status
}

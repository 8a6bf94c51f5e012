/** Connectors, how they fare, and their deliveries. */
import { useQuery } from "@tanstack/react-query"
import type { Connector } from "../../contract/platform/Connectors.ts"
import { Connectors } from "../../contract/platform/Connectors.ts"
import type { Delivery, DeliveryStatus } from "../../contract/platform/Deliveries.ts"
import { Deliveries } from "../../contract/platform/Deliveries.ts"
import { call, client } from "../shared/client.ts"
import { useClock } from "../shared/clock.ts"
import type { Newest } from "./deliveryFigures.ts"
import { mostDeliveries } from "./deliveryFigures.ts"

const platform = client(Connectors, Deliveries)

/** Interval at which connectors and deliveries are fetched, ms. */
export const connectorsMs = 5_000

/** Page size when several pages of a list are fetched. */
const limit = "200"

/** The service's present time, ms. Undefined in a sandbox: its clock says nothing about how long an event waits. */
export const useLiveNow = (): number | undefined => (useClock().data === null ? Date.now() : undefined)

/** A connector; null: there is none with this id. The service has no request for a single one. */
export const useConnector = (connector_id: string) =>
  useQuery({
    queryKey: ["connectors", "one", connector_id],
    refetchInterval: connectorsMs,
    queryFn: async (): Promise<Connector | null> => {
      let cursor: string | undefined
      do {
        const query = { limit, ...(cursor === undefined ? {} : { cursor }) }
        const page = await call(platform.platform_connectors.listConnectors({ query }))
        const found = page.connectors.find((one) => one.connector_id === connector_id)
        if (found !== undefined) return found
        cursor = page.next_cursor
      } while (cursor !== undefined)
      return null
    }
  })

/** The newest deliveries of a status. */
export const newest = async (connector_id: string, status: DeliveryStatus): Promise<Newest> => {
  const deliveries: Array<Delivery> = []
  let cursor: string | undefined
  do {
    const query = { connector_id, status, limit, ...(cursor === undefined ? {} : { cursor }) }
    const page = await call(platform.platform_deliveries.listDeliveries({ query }))
    deliveries.push(...page.deliveries)
    cursor = page.next_cursor
  } while (cursor !== undefined && deliveries.length < mostDeliveries)
  return { deliveries, isAll: cursor === undefined }
}

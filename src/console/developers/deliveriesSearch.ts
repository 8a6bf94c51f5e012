/** The filter of a connector's deliveries in the address bar. */
import type { DeliveryStatus } from "../../contract/platform/Deliveries.ts"

export const deliveryStatuses = ["pending", "delivered", "failed"] as const satisfies ReadonlyArray<DeliveryStatus>

export interface DeliveriesSearch {
  /** Absent: all. */
  readonly status?: DeliveryStatus
}

export const deliveriesSearch = (given: Readonly<Record<string, unknown>>): DeliveriesSearch => {
  const status = deliveryStatuses.find((one) => one === given["status"])
  return status === undefined ? {} : { status }
}

/** A listener of orders that were kept without a guest, each once. By default there is none. */
import { Context } from "effect"
import type { Order } from "../../contract/protocol/Order.ts"

/** `at`: when it was kept, ms of the service's time. Called once it is stored; it must not wait or throw. */
export class SoldOrders extends Context.Reference<(order: Order, at: number) => void>(
  "lotbook/core/protocol/SoldOrders",
  { defaultValue: () => () => undefined }
) {}

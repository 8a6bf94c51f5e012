/** What tills and receivers of webhooks call, in one import: `lotbook/client`. */
export type { Order } from "../contract/protocol/Order.ts"
export type { RewardEffect } from "../contract/protocol/Program.ts"
export type { Amount } from "./Amounts.ts"
export { OrderError } from "./OrderError.ts"
export * from "./Orders.ts"
export * from "./Webhooks.ts"

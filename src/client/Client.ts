/** Parts for tills and receivers of webhooks, in one import: `lotbook/client`. */
export type { Amount } from "./Amounts.ts"
export type { Answer, RateLimit } from "./Answers.ts"
export type { CallOptions, Source } from "./Calls.ts"
export * from "./Feed.ts"
export type { Admin, Platform, Proto } from "./generated/Surfaces.ts"
export type * as Wire from "./generated/Wire.ts"
export type { Order, RewardEffect } from "./generated/Wire.ts"
export * from "./Http.ts"
export * from "./LotbookClient.ts"
export * from "./LotbookError.ts"
export * from "./OrderBuilder.ts"
export { OrderError } from "./OrderError.ts"
export * from "./Refunds.ts"
export type { Request, RequestSettings } from "./Request.ts"
export type { Sandbox } from "./Sandbox.ts"
export type { Fetch } from "./Sending.ts"
export type { Token } from "./Tokens.ts"
export type { PauseReason, TillAnswer, TillClient } from "./till/Calls.ts"
export type {
  Adjustment,
  AdjustmentInput,
  Card,
  Change,
  Entry as TillEntry,
  Guest,
  Refusal,
  ReserveInput,
  SaleInput
} from "./till/Entries.ts"
export type { Outcome, RefusedEntry, TillEvent } from "./till/Events.ts"
export * from "./till/IndexedDbStore.ts"
export * from "./till/MemoryStore.ts"
export type * from "./till/Results.ts"
export * from "./till/Store.ts"
export * from "./till/Till.ts"
export * from "./till/TillErrors.ts"
export * from "./Webhooks.ts"

/**
 * The contract of the use cases: a handler takes a decoded request and returns an
 * answer, or a refusal. It knows no HTTP.
 */

import type { Effect } from "effect"
import { Context } from "effect"
import type { BodyOf, OperationId, RequestOf } from "../../contract/protocol/Operations.ts"
import type { Scope } from "../../contract/Scopes.ts"
import type { Refusal } from "../account/domain/Refusal.ts"
import type { Guards } from "../account/Guards.ts"
import type { Trouble } from "../account/Outcome.ts"
import type { Restaurants } from "./Restaurants.ts"

/** The caller: scopes of the token, its programmes and its restaurants (undefined: all). */
export interface Caller {
  /** The token's name, configured or derived; records have it as their actor. */
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  readonly programs: ReadonlySet<string> | undefined
  readonly restaurants?: Restaurants | undefined
  /** A campaign's caller: what it gives is once per member. See `Guards`. */
  readonly once?: Guards["once"]
}

/** Postings of a write. */
export interface Posted {
  /** The member's account. */
  readonly account: number
  readonly entries?: ReadonlyArray<string>
  readonly reservation?: string
}

/** `Body`: the members beside `context`; `object` for code that does not look into it. */
export interface Answer<Body extends object = object> {
  readonly _tag: "Answer"
  /** True if something new was created. */
  readonly created: boolean
  /** ms; `context.processed_at`. */
  readonly processedAt: number
  readonly body: Body
  /** The account and ids of what a write has posted, for the log; none of personal data. */
  readonly posted?: Posted | undefined
  /** True for a replay of the request's own idempotency key. */
  readonly isReplay?: boolean
}

export type Handled<Body extends object = object> = Answer<Body> | Refusal | Trouble

/** An operation while it is handled. */
export type Handling<Id extends OperationId> = Effect.Effect<Handled<BodyOf<Id>>>

export type Handler<Id extends OperationId> = (request: RequestOf<Id>, caller: Caller) => Handling<Id>

export class Handlers extends Context.Service<Handlers, { readonly [Id in OperationId]: Handler<Id> }>()(
  "lotbook/core/protocol/Handlers"
) {}

/** The typed client of the customer engagement surface, from the contract itself. */
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { PlatformApi } from "../../contract/platform/Api.ts"
import { transformClient, unchecked } from "./client.ts"

/** The platform's surface. */
export const platform = Effect.runSync(
  HttpApiClient.make(PlatformApi.annotateMerge(unchecked), { baseUrl: location.origin, transformClient }).pipe(
    Effect.provide(FetchHttpClient.layer)
  )
)

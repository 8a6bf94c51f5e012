/** The typed client of the customer engagement surface, from the contract itself. */
import { HttpApiClient } from "effect/http-api"
import { PlatformApi } from "../../contract/platform/Api.ts"
import { connected, options, unchecked } from "./client.ts"

/** The platform's surface. */
export const platform = connected(HttpApiClient.make(PlatformApi.annotateMerge(unchecked), options))

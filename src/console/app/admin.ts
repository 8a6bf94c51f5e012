/** The typed client of the operators' whole surface, from the contract itself. */
import { HttpApiClient } from "effect/http-api"
import { AdminApi } from "../../contract/admin/Api.ts"
import { connected, options, unchecked } from "./client.ts"

/** The operators' surface. */
export const admin = connected(HttpApiClient.make(AdminApi.annotateMerge(unchecked), options))

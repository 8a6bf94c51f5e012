/**
 * Shared parts of the resources of `/platform/v1`: path, version, authentication, the parameter `program_id`
 * (platform.md).
 */
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { sessionCookie } from "../admin/Common.ts"
import { Identifier, optional } from "../Values.ts"

/** Base path of the routes for marketing systems. */
export const platformPath = "/platform/v1"
export const platformName = "Lotbook customer engagement"
export const platformVersion = "0.3.0-beta"

/** Authentication by a bearer token, or by the cookie of a session. Its key needs a scope of the platform. */
export class PlatformKey extends HttpApiMiddleware.Service<PlatformKey>()("lotbook/contract/PlatformKey", {
  security: {
    bearer: HttpApiSecurity.http({ scheme: "bearer" }),
    session: HttpApiSecurity.apiKey({ key: sessionCookie, in: "cookie" })
  }
}) {}

/** The property `program_id`, which most requests have. */
export const programId = optional(
  Identifier,
  "The programme. May be omitted if the caller can access exactly one programme."
)

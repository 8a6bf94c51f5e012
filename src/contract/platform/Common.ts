/** What the resources of `/platform/v1` share: paths, version, how callers authenticate (platform.md). */
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import { sessionCookie } from "../admin/Common.ts"

/** Where the routes for marketing systems are. */
export const platformPath = "/platform/v1"
export const platformName = "Lotbook customer engagement"
export const platformVersion = "0.3.0-beta"

/** A token with a scope of the platform, sent as a bearer token, or the cookie of a session with one. */
export class PlatformKey extends HttpApiMiddleware.Service<PlatformKey>()("lotbook/contract/PlatformKey", {
  security: {
    bearer: HttpApiSecurity.http({ scheme: "bearer" }),
    session: HttpApiSecurity.apiKey({ key: sessionCookie, in: "cookie" })
  }
}) {}

/**
 * The HttpApi of `/my/api/v1`: what the guests' page calls, whose caller is one guest
 * (contract/guests.md *Routes*). Each resource has a file of its own.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { AuthOf, strict } from "../Access.ts"
import { protocolVersion } from "../protocol/Protocol.ts"
import { GuestFresh } from "./Fresh.ts"
import { GuestMe } from "./Me.ts"
import { GuestPageGroup } from "./Page.ts"
import { GuestSessions } from "./Sessions.ts"
import { GuestSignIn } from "./SignIn.ts"

export class GuestApi extends HttpApi.make("lotbook-guest")
  .add(GuestPageGroup, GuestSignIn, GuestSessions, GuestFresh, GuestMe)
  .annotateMerge(OpenApi.annotations({ title: "Lotbook guests", version: protocolVersion }))
  .annotate(AuthOf, "guest")
  .annotateMerge(strict) {}

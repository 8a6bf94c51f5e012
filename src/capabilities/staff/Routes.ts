/** The routes of people: their list and roles, their own account, and what needs no session yet. */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { PeoplePool } from "../../base/database/Pools.ts"
import { AdminApi } from "../../contract/admin/Api.ts"
import type { Journal } from "../../core/journal/Journal.ts"
import type { Programs } from "../../core/programs/Programs.ts"
import type { CurrentCaller } from "../../desk/access/CurrentCaller.ts"
import type { Keys } from "../../desk/access/Keys.ts"
import type { Sessions } from "../../desk/access/Sessions.ts"
import { CurrentMail } from "../mail/Mail.ts"
import * as Letters from "./Letters.ts"
import * as Limits from "./Limits.ts"
import * as Passkeys from "./Passkeys.ts"
import { CurrentProvider } from "./Provider.ts"
import * as SignInAtProvider from "./SignInAtProvider.ts"
import { CurrentSite } from "./Site.ts"
import * as Users from "./Users.ts"

type Needs = Journal | Keys | PeoplePool | Programs | Sessions

const needed = Effect.gen(function* () {
  const site = yield* CurrentSite
  const provider = yield* CurrentProvider
  const mail = yield* CurrentMail
  const context = yield* Effect.context<Needs>()
  return <A, E>(work: Effect.Effect<A, E, Needs | CurrentCaller>) =>
    Effect.provideContext(work, context).pipe(
      Effect.provideService(CurrentSite, site),
      Effect.provideService(CurrentProvider, provider),
      Effect.provideService(CurrentMail, mail)
    )
})

const staff = HttpApiBuilder.group(AdminApi, "staff", (handlers) =>
  Effect.map(needed, (within) =>
    handlers
      .handle("listStaff", () => within(Effect.map(Users.list, (users) => ({ users }))))
      .handle("inviteUser", ({ payload }) => within(Letters.mailed(Users.invite(payload))))
      .handle("inviteUserAgain", ({ params }) => within(Letters.mailed(Users.inviteAgain(params.user_id))))
      .handle("changeUserRole", ({ params, payload }) => within(Users.changeRole(params.user_id, payload)))
      .handle("disableUser", ({ params, payload }) => within(Users.disable(params.user_id, payload.reason)))
      .handle("enableUser", ({ params, payload }) => within(Users.enable(params.user_id, payload.reason)))
      .handle("removeUserPasskeys", ({ params, payload }) =>
        within(Users.removePasskeys(params.user_id, payload.reason))
      )
      .handle("endUserSessions", ({ params, payload }) =>
        within(Effect.map(Users.endAllSessions(params.user_id, payload.reason), (ended) => ({ ended })))
      )
  )
)

const account = HttpApiBuilder.group(AdminApi, "account", (handlers) =>
  Effect.map(needed, (within) =>
    handlers
      .handle("showOwnAccount", () => within(Effect.flatMap(Passkeys.me, Limits.withLimits)))
      .handle("chooseOwnLanguage", ({ payload }) => within(Passkeys.chooseLanguage(payload.language)))
      .handle("listOwnSessions", () => within(Passkeys.ownSessions))
      .handle("endOwnSessions", ({ payload }) => within(Passkeys.endOwnSessions(payload.session_id)))
      .handle("newPasskeyOptions", () => within(Passkeys.newOptions))
      .handle("addPasskey", ({ payload }) => within(Passkeys.addPasskey(payload.name, payload.credential)))
      .handle("renamePasskey", ({ params, payload }) => within(Passkeys.renamePasskey(params.passkey_id, payload.name)))
      .handle("removePasskey", ({ params }) => within(Passkeys.removePasskey(params.passkey_id)))
  )
)

const passkeys = HttpApiBuilder.group(AdminApi, "passkeys", (handlers) =>
  Effect.map(needed, (within) =>
    handlers
      .handle("beginAtProvider", () => within(SignInAtProvider.begin))
      .handle("finishAtProvider", ({ payload }) => within(SignInAtProvider.finish(payload.query)))
      .handle("signInOptions", () => within(Passkeys.signInOptions))
      .handle("signInWithPasskey", ({ payload }) => within(Passkeys.signIn(payload.credential)))
      .handle("showInvitation", ({ payload }) => within(Passkeys.showInvitation(payload.invitation)))
      .handle("acceptInvitation", ({ payload }) => within(Passkeys.acceptInvitation(payload)))
  )
)

export const layer = Layer.mergeAll(staff, account, passkeys)

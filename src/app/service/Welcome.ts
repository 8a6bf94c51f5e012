/** Words of a start for people: where the console is, and how to sign in while the secrets are those of development. */
import { Console, Effect, Option, Redacted } from "effect"
import { serviceNow } from "../../base/time/Times.ts"
import type { Site } from "../../capabilities/staff/Site.ts"
import { basePath } from "../../contract/protocol/Protocol.ts"
import { fromMillis } from "../../contract/Values.ts"
import * as Sandbox from "../../core/expiry/Sandbox.ts"
import { developmentAdminKey } from "../../desk/access/Keys.ts"
import type { Settings } from "./Settings.ts"

/** Never tells a key of the operator's own, because logs are kept. */
export const consoleText = (
  { consoleUrl, isRootWelcome }: Pick<Site, "consoleUrl" | "isRootWelcome">,
  adminKey: Redacted.Redacted
): string =>
  isRootWelcome && Redacted.value(adminKey) === developmentAdminKey
    ? `${consoleUrl} – sign in with ${developmentAdminKey}`
    : consoleUrl

interface Started {
  readonly settings: Settings
  readonly site: Site
  readonly url: string
}

export const announce = ({ settings, site, url }: Started) =>
  Effect.gen(function* () {
    const console = consoleText(site, settings.adminKey)
    yield* Effect.logInfo(`Listening on ${url}`)
    yield* Effect.logInfo(`The console is at ${console}`)
    const sandbox = Option.getOrUndefined(yield* Effect.serviceOption(Sandbox.Sandbox))
    if (sandbox !== undefined)
      yield* Effect.logInfo(
        sandbox.now() === settings.sandboxClock
          ? `This is a sandbox; its clock stands at ${fromMillis(sandbox.now())}`
          : `This is a sandbox; its clock stands at ${fromMillis(sandbox.now())}, as before the restart; --sandbox-clock applies only to new sandboxes`
      )
    const now = sandbox === undefined ? yield* serviceNow : sandbox.now()
    // Text for people: it would break a log of one JSON object a line.
    if (!settings.seedDemo || settings.logFormat === "json") return
    yield* Console.log(`
Lotbook listens on ${url} – description at ${url}/docs
Token: ${Redacted.value(settings.token)}
Console: ${console}

Read a demo member's account:

curl -s ${url}${basePath}/accounts/get -H 'Authorization: Bearer ${Redacted.value(settings.token)}' \\
  -H 'Content-Type: application/json' -d '{"context": {"protocol_version": "1.0", "profile": "foodservice/1.0",
  "request_id": "req-1", "occurred_at": "${fromMillis(now)}", "source": {"system": "pos"}},
  "member_id": "member-003", "program_id": "demo-foodservice"}'
`)
  })

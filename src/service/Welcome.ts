/** What a start tells people: where the console is, and how to sign in while the secrets are those of development. */
import { Redacted } from "effect"
import type { Site } from "../staff/Site.ts"
import { developmentAdminKey } from "../access/Keys.ts"

/** Never tells a key of the operator's own, because logs are kept. */
export const consoleText = (
  { consoleUrl, isRootWelcome }: Pick<Site, "consoleUrl" | "isRootWelcome">,
  adminKey: Redacted.Redacted
): string =>
  isRootWelcome && Redacted.value(adminKey) === developmentAdminKey
    ? `${consoleUrl} – sign in with ${developmentAdminKey}`
    : consoleUrl

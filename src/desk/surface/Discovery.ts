/** The route that lists the platform's resources, derived from the contract that also makes the routes. */
import { Effect } from "effect"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { PlatformApi } from "../../contract/platform/Api.ts"
import type { Offer } from "../../contract/platform/Discovery.ts"
import { platformName, platformPath, platformVersion } from "../../contract/platform/Platform.ts"
import { basePath, profile, protocolVersion } from "../../contract/protocol/Protocol.ts"

/** Every path of the platform with its methods, in the order of the contract. */
const resources = (): (typeof Offer.Type)["resources"] => {
  const methods = new Map<string, Array<string>>()
  HttpApi.reflect(PlatformApi, {
    onGroup: () => undefined,
    onEndpoint: ({ endpoint: { method, path } }) => {
      methods.set(path, [...(methods.get(path) ?? []), method])
    }
  })
  return [...methods].map(([path, all]) => ({
    name: path.slice(platformPath.length + 1) || "discovery",
    methods: all,
    path
  }))
}

const offer: typeof Offer.Type = {
  name: platformName,
  version: platformVersion,
  resources: resources(),
  transaction_contract: { base_path: basePath, protocol_version: protocolVersion, profile }
}

export const layer = HttpApiBuilder.group(PlatformApi, "platform_discovery", (handlers) =>
  handlers.handle("platform", () => Effect.succeed(offer))
)

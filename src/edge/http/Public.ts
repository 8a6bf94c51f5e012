/**
 * Routes outside the surfaces: discovery, capabilities, health, the OpenAPI
 * document, and pages for people.
 */
import { Effect } from "effect"
import * as fs from "node:fs"
import type { IncomingMessage } from "node:http"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as zlib from "node:zlib"
import { deliveredTypes } from "../../contract/platform/EventTypes.ts"
import { operationIds } from "../../contract/protocol/Operations.ts"
import { rewardEffects } from "../../contract/protocol/Program.ts"
import {
  basePath,
  discoveryPath,
  maxBodyBytes,
  maxIdempotencyKeyLength,
  profile,
  protocolName,
  protocolVersion
} from "../../contract/protocol/Protocol.ts"
import type { Node } from "../../core/cluster/Node.ts"
import type { Guides } from "../mcp/Guides.ts"
import type { Running } from "./Backend.ts"
import * as Console from "./Console.ts"
import type * as Described from "./Described.ts"
import * as Layout from "./Layout.ts"
import * as Pages from "./Pages.ts"
import * as PublicFile from "./PublicFile.ts"
import * as Query from "./Query.ts"
import type { Reply } from "./Reply.ts"
import { json, ok, problem } from "./Reply.ts"
import type { Admitted, Route } from "./Route.ts"

const html = "text/html; charset=utf-8"
/** Guides and problem pages run no scripts. */
const pageHeaders = { "Content-Security-Policy": Layout.securityPolicy }

/** A public route; `isForEveryRole` by default. */
const open = (path: string, operation: string, run: Route["run"]): Route => ({
  method: "GET",
  path,
  operation,
  auth: "none",
  isForEveryRole: true,
  run
})

const movedTo = (location: string): Reply => ({
  status: 308,
  body: "",
  contentType: html,
  headers: { Location: location }
})

/** A file and its route. The file is made once, at its first request: most services never have one. */
interface File {
  readonly path: string
  readonly operation: string
  readonly made: () => Promise<PublicFile.PublicFile>
}

const file = (path: string, operation: string, make: File["made"]): File => {
  let made: ReturnType<File["made"]> | undefined
  return { path, operation, made: () => (made ??= make()) }
}

/** Where a build keeps what it has made: beside the program. From the sources there is nothing. */
const builtFolder = path.dirname(fileURLToPath(import.meta.url))

/** The brotli form of a file: of the build, else made now. */
const described = async (name: Described.Name): Promise<Buffer> => {
  const built = path.join(builtFolder, `${name}${PublicFile.brotli}`)
  return fs.existsSync(built) ? fs.readFileSync(built) : (await import("./Described.ts")).make(name)
}

const docsPage = async (): Promise<PublicFile.PublicFile> => {
  const page = await described("docs.html")
  const policy = Pages.descriptionPolicy(zlib.brotliDecompressSync(page).toString())
  return PublicFile.of(html, page, false, { "Content-Security-Policy": policy })
}

const filesOf = ({ all, links }: Guides): ReadonlyArray<File> => [
  file("/openapi.json", "openapi", async () => PublicFile.of(json, await described("openapi.json"), false)),
  file("/docs", "docs", docsPage),
  ...all.map((guide) =>
    file(guide.path, "guide", () =>
      PublicFile.make(html, Layout.page(links, guide.path, guide.title, guide.html, guide.language), pageHeaders)
    )
  ),
  file(Pages.problemsPath, "problem_page", async () => PublicFile.make(html, Pages.problemsPage(links), pageHeaders)),
  ...[...Pages.problemPages].map(([path, code]) =>
    file(path, "problem_page", () => PublicFile.make(html, Pages.problemPage(links, code), pageHeaders))
  )
]

/** A code has underscores and the address of its page hyphens; the address with the code itself leads there. */
const codedPagesOf = ({ all }: Guides): ReadonlyArray<Route> =>
  all
    .filter(({ path }) => path.startsWith(Pages.runbookPath) && path.includes("-"))
    .map(({ path }) => open(path.replaceAll("-", "_"), "guide", () => movedTo(path)))

/** Things that all services of a process can share: nothing in it depends on the settings of one. */
export interface Published {
  readonly guides: Guides
  readonly files: ReadonlyArray<File>
}

export const publish = (guides: Guides): Published => ({ guides, files: filesOf(guides) })

/** The same in every service of this process. */
const consoleRoutes = Console.routes()

const discovery = ok({
  protocol: protocolName,
  protocol_version: protocolVersion,
  profiles: [profile],
  endpoints: { api: basePath, capabilities: `${basePath}/capabilities`, health: "/health" },
  authentication: ["bearer"]
})

const capabilities = ({ programs }: Running): Reply =>
  ok({
    protocol_version: protocolVersion,
    profiles: [profile],
    operations: operationIds,
    reward_effects: rewardEffects,
    event_types: deliveredTypes,
    limits: {
      max_body_bytes: maxBodyBytes,
      max_idempotency_key_length: maxIdempotencyKeyLength,
      // The smallest value over all programmes: a caller can rely on it in each.
      reservation_ttl_seconds: Math.min(...programs.all().map((program) => program.reservationTtlMs)) / 1000
    }
  })

/** The address of a page on `localhost`, if it was asked for by an address of this machine. */
const onLocalhost = ({ headers, url = "/" }: IncomingMessage): string | undefined => {
  const port = /^(?:127(?:\.\d{1,3}){3}|\[::1\])(:\d+)?$/.exec(headers.host ?? "")
  return port === null ? undefined : `http://localhost${port[1] ?? ""}${url}`
}

/** Browsers refuse passkeys on addresses, so that a page at one moves to the name. */
const onName = (route: Route): Route =>
  route.operation !== "console"
    ? route
    : {
        ...route,
        run: (admitted) => {
          const { incoming } = admitted.exchange
          const at = incoming.headers.accept?.includes("text/html") === true ? onLocalhost(incoming) : undefined
          return at === undefined
            ? route.run(admitted)
            : { status: 307, body: "", contentType: html, headers: { Location: at } }
        }
      }

interface PublicOptions {
  readonly published: Published
  readonly node: Node["Service"]
  readonly current: () => Running | undefined
  /** The answer of a service that is no node of its database: not yet, or not any more. */
  readonly notActive: (path: string) => Reply
  /** True if people reach the service under a name of its own (`PROTO_PUBLIC_URL`). */
  readonly isNamed: boolean
}

const health = ({ node, current, notActive }: PublicOptions): ReadonlyArray<Route> => {
  const ready = ({ exchange: { path } }: Admitted): Reply | Effect.Effect<Reply> => {
    const running = current()
    if (running === undefined || !node.isAdmitting()) return notActive(path)
    const { isComplete, nodes, partitions, unreachable } = node.placement()
    const { environment } = node
    const role = node.role()
    return Effect.map(running.isReady, (isReady) => {
      if (!isReady) return problem("storage_unavailable", { detail: "The journal does not respond.", instance: path })
      if (isComplete && unreachable.length > 0) {
        const detail = `The link from this node to ${unreachable.join(" and ")} is down; requests for the accounts there get 503.`
        return problem("node_unreachable", { detail, instance: path, more: { environment, role } })
      }
      if (isComplete) return ok({ status: "ok", environment, role, partitions, nodes })
      const detail = "Some partitions of accounts have no node; requests for their members wait for one."
      return problem("not_active", { detail, instance: path, more: { environment, role } })
    })
  }
  return [
    open("/health", "health", () =>
      ok({
        status: "ok",
        protocol_version: protocolVersion,
        profile,
        write_frozen: current()?.freeze.isFrozen() ?? false
      })
    ),
    open("/health/ready", "ready", ready)
  ]
}

export const routes = (options: PublicOptions): ReadonlyArray<Route> => [
  open(discoveryPath, "discover", () => discovery),
  open("/", "root", () => ({ status: 302, body: "", contentType: html, headers: { Location: "/docs" } })),
  // With the query: a page's filters are in it.
  open(`${Console.consolePath}/`, "console", ({ exchange: { incoming, path } }) =>
    movedTo(`${Console.consolePath}${(incoming.url ?? path).slice(path.length)}`)
  ),
  ...(options.isNamed ? consoleRoutes : consoleRoutes.map(onName)),
  ...codedPagesOf(options.published.guides),
  ...health(options),
  {
    method: "GET",
    path: `${basePath}/capabilities`,
    operation: "capabilities",
    auth: "bearer",
    scopes: ["protocol:read"],
    budget: "read",
    query: Query.none,
    run: ({ exchange }) => {
      const running = options.current()
      return running === undefined ? options.notActive(exchange.path) : capabilities(running)
    }
  },
  ...options.published.files.map(({ made, operation, path }) =>
    open(path, operation, ({ exchange }) =>
      Effect.map(Effect.promise(made), (one) => PublicFile.reply(one, exchange.incoming))
    )
  )
]

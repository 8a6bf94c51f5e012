/**
 * The guests' page: its files, which `npm run prepare` builds, and what each programme has of its own: the address,
 * the manifest for telephones, the icon (contract/programmes.md *The guests' page*). All is public, and nothing of it knows a guest.
 */
import { Effect } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { inkOn } from "../../contract/Contrast.ts"
import type { ProgramFile } from "../../contract/ProgramFile.ts"
import type { ServedPicture } from "../../desk/surface/Picture.ts"
import type { Running } from "./Backend.ts"
import * as PublicFile from "./PublicFile.ts"
import type { Reply } from "./Reply.ts"
import { problem } from "./Reply.ts"
import type { Route } from "./Route.ts"

/** The folder of the build. */
const builtFolder = path.join(import.meta.dirname, "..", "..", "..", ".guest")

const base = "/my"

/** Everything comes from this service: no third party learns of a guest. */
const securityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; " +
  "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const pageHeaders = { "Content-Security-Policy": securityPolicy, "Referrer-Policy": "no-referrer" }

/** Headers of files that somebody may open alone, such as the icon. */
const alone = { "Content-Security-Policy": "default-src 'none'" }

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8"
}

/** The service worker keeps its address, and so is asked for anew. */
const worker = "worker.js"

/** Longest body of a mail program's request, bytes: it says one thing, in either form. */
const unsubscribeBytes = 4_096

type GuestPage = NonNullable<ProgramFile["guest_page"]>

const open = (route: Pick<Route, "path" | "operation" | "run">): Route => ({ ...route, method: "GET", auth: "none" })

const assets = (folder: string): ReadonlyArray<Route> =>
  fs
    .readdirSync(path.join(folder, "assets"))
    .filter((name) => name.endsWith(PublicFile.brotli))
    .map((stored) => {
      const name = path.basename(stored, PublicFile.brotli)
      const contentType = contentTypes[path.extname(name)] ?? "application/octet-stream"
      const headers = name === worker ? { ...pageHeaders, "Service-Worker-Allowed": `${base}/` } : {}
      const content = fs.readFileSync(path.join(folder, "assets", stored))
      const file = PublicFile.of(contentType, content, name !== worker, headers)
      return {
        ...open({
          path: `${base}/assets/${name}`,
          operation: "guest_file",
          run: ({ exchange }) => PublicFile.reply(file, exchange.incoming)
        }),
        isForEveryRole: true
      }
    })

/** The page of a programme in force. A programme without one is as unknown as none. */
const pageOf = (running: Running | undefined, id: string | undefined): GuestPage | undefined =>
  id === undefined ? undefined : running?.programs.get(id)?.file.guest_page

const noPage = (instance: string): Reply =>
  problem("not_found", { detail: "No programme has a page for guests here.", instance })

const noLogo = (id: string): Reply =>
  problem("not_found", { detail: "The programme has no logo.", instance: `${base}/${id}/logo.png` })

const xml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** The first letter of the name on the programme's colour. */
const iconOf = ({ colour, name }: GuestPage): string => {
  const [first = ""] = Array.from(new Intl.Segmenter().segment(name.trim()), ({ segment }) => segment)
  const letter = xml(first.toUpperCase())
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" fill="${colour}"/>` +
    `<text x="256" y="256" dy=".35em" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="280" ` +
    `fill="${inkOn(colour)}">${letter}</text></svg>`
  )
}

const manifestOf = (id: string, { colour, languages, name }: GuestPage, logo: ServedPicture | undefined) => {
  const at = `${base}/${id}`
  return {
    id: at,
    name,
    short_name: name,
    lang: languages[0],
    start_url: at,
    scope: at,
    display: "standalone",
    background_color: "#f4f5f6",
    theme_color: colour,
    icons: [
      ...(logo === undefined ? [] : [{ src: logo.url, type: "image/png", sizes: `${logo.width}x${logo.height}` }]),
      { src: `${at}/icon.svg`, type: "image/svg+xml", sizes: "any" }
    ]
  }
}

/** A programme's own file. It may be some minutes old, as after a publication. */
const own = (contentType: string, body: Reply["body"], more: Reply["headers"] = {}): Reply => ({
  status: 200,
  contentType,
  body,
  headers: { ...alone, "cache-control": "public, max-age=300", ...more }
})

/** The address of a programme's page, as its links have it: browsers compare the paths of cookies and of installed pages as text. */
const addressOf = (id: string | undefined): string => `${base}/${encodeURIComponent(id ?? "").replaceAll("%3A", ":")}`

const moved = (location: string): Reply => ({
  status: 307,
  body: "",
  contentType: "text/html; charset=utf-8",
  headers: { Location: location }
})

/** Where a campaign's mail says how to end such mails. Mail programs post here by themselves (RFC 8058); a browser gets a button. */
const unsubscribePath = `${base}/:program_id/unsubscribe/:token`

const unsubscribes = (current: () => Running | undefined): ReadonlyArray<Route> => [
  {
    ...open({
      path: unsubscribePath,
      operation: "guest_unsubscribe_page",
      run: ({ exchange: { params } }) =>
        moved(`${addressOf(params["program_id"])}#unsubscribe=${encodeURIComponent(params["token"] ?? "")}`)
    }),
    isForEveryRole: true
  },
  {
    method: "POST",
    path: unsubscribePath,
    operation: "guest_unsubscribe",
    auth: "none",
    isBounded: true,
    body: { mediaTypes: ["application/x-www-form-urlencoded", "multipart/form-data"], maxBytes: unsubscribeBytes },
    run: ({ exchange: { params, path, requestId } }) => {
      const running = current()
      if (running === undefined) return noPage(path)
      const asked = { program: params["program_id"] ?? "", token: params["token"] ?? "", requestId }
      return Effect.match(running.unsubscribe(asked), {
        onFailure: ({ code, detail }) => problem(code, { detail, instance: path }),
        onSuccess: (isDone): Reply =>
          isDone
            ? { status: 200, contentType: "text/plain; charset=utf-8", body: "", headers: alone }
            : problem("not_found", { detail: "The link is none of a mail.", instance: path })
      })
    }
  }
]

const queryOf = (url = ""): string => /\?.*/s.exec(url)?.[0] ?? ""

/** The routes of the page. Without a build they answer that it is missing. */
export const routes = (current: () => Running | undefined, folder: string = builtFolder): ReadonlyArray<Route> => {
  const stored = path.join(folder, `index.html${PublicFile.brotli}`)
  const isBuilt = fs.existsSync(stored)
  const shell = isBuilt
    ? PublicFile.of("text/html; charset=utf-8", fs.readFileSync(stored), false, pageHeaders)
    : undefined
  const ofProgram = (
    operation: string,
    end: string,
    answer: (id: string, page: GuestPage, logo: ServedPicture | undefined) => Reply
  ): Route =>
    open({
      path: `${base}/:program_id${end}`,
      operation,
      run: ({ exchange: { params, path } }) => {
        const id = params["program_id"] ?? ""
        const running = current()
        const page = pageOf(running, id)
        if (running === undefined || page === undefined) return noPage(path)
        return Effect.map(running.logo(id), (logo) => answer(id, page, logo))
      }
    })
  return [
    ...(isBuilt ? assets(folder) : []),
    open({
      path: `${base}/:program_id`,
      operation: "guest_page",
      run: ({ exchange: { incoming, params, path } }) => {
        if (shell === undefined) {
          const detail =
            "The guests' page is not built; run `npm run prepare` in the service's folder and start it again."
          return problem("not_found", { detail, instance: path })
        }
        const reply = PublicFile.reply(shell, incoming)
        // People read the page's own words for it.
        return pageOf(current(), params["program_id"]) === undefined ? { ...reply, status: 404 } : reply
      }
    }),
    {
      ...open({
        path: `${base}/:program_id/`,
        operation: "guest_page",
        // Browsers keep what stands behind `#`.
        run: ({ exchange: { incoming, params } }) => moved(`${addressOf(params["program_id"])}${queryOf(incoming.url)}`)
      }),
      isForEveryRole: true
    },
    {
      ...open({
        path: "/join/:program_id",
        operation: "guest_join",
        run: ({ exchange: { incoming, params } }) => {
          const at = new URLSearchParams(queryOf(incoming.url)).get("at")
          const query = at === null ? "" : `?at=${encodeURIComponent(at)}`
          return moved(`${addressOf(params["program_id"])}${query}#join`)
        }
      }),
      isForEveryRole: true
    },
    ...unsubscribes(current),
    ofProgram("guest_manifest", "/manifest.webmanifest", (id, page, logo) =>
      own("application/manifest+json", JSON.stringify(manifestOf(id, page, logo)))
    ),
    ofProgram("guest_icon", "/icon.svg", (_, page) => own("image/svg+xml", iconOf(page))),
    ofProgram("guest_logo", "/logo.png", (id, _, logo) =>
      logo === undefined ? noLogo(id) : own("image/png", logo.png, { ETag: `"${logo.tag}"` })
    )
  ]
}

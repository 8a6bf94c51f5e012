/**
 * The service worker of the guests' page: asks the service, and without network answers with what `kept.ts` has kept
 * of the page itself. Nothing of a guest passes through its cache.
 */

/** The worker's own scope, in which `self` is no window. */
interface WorkerScope {
  readonly skipWaiting: () => Promise<void>
  readonly clients: { readonly claim: () => Promise<void> }
  readonly addEventListener: (type: string, listener: (event: WorkerEvent) => void) => void
}
interface WorkerEvent {
  readonly request: Request
  readonly respondWith: (answer: Promise<Response>) => void
  readonly waitUntil: (work: Promise<unknown>) => void
}
const scope = globalThis as unknown as WorkerScope

const isOfPage = ({ pathname }: URL): boolean =>
  pathname.startsWith("/my/assets/") || /^\/my\/[^/]+$/.test(pathname) || /^\/my\/api\/v1\/[^/]+\/page$/.test(pathname)

const kept = (request: Request): Promise<Response | undefined> =>
  caches.open("shell").then((shell) => shell.match(request, { ignoreSearch: true, ignoreVary: true }))

const answer = async (request: Request): Promise<Response> => {
  const url = new URL(request.url)
  // Their names change with their content.
  const first = url.pathname.startsWith("/my/assets/") ? await kept(request) : undefined
  if (first !== undefined) return first
  try {
    return await fetch(request)
  } catch (error) {
    const found = await kept(request)
    if (found === undefined) throw error
    return found
  }
}

scope.addEventListener("install", (event) => event.waitUntil(scope.skipWaiting()))
scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()))
scope.addEventListener("fetch", (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method === "GET" && url.origin === location.origin && isOfPage(url)) event.respondWith(answer(request))
})

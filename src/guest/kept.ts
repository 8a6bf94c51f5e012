/**
 * Things that the browser keeps: the page's files and the card, so that the card is shown without network. Nothing else of a
 * guest. `worker.ts` answers with the files; caches need https or this machine.
 */
import type { PageFacts } from "./wire.ts"

export interface KeptCard {
  readonly value: string
  readonly name: string
  readonly at: string
}

const isKeeping = "caches" in globalThis

const cardUrl = (programId: string): string => `/my/${programId}/card`

export const keepCard = async (programId: string, card: KeptCard): Promise<void> => {
  if (isKeeping) await (await caches.open("cards")).put(cardUrl(programId), new Response(JSON.stringify(card)))
}

export const keptCard = async (programId: string): Promise<KeptCard | undefined> => {
  const kept = isKeeping ? await caches.match(cardUrl(programId)) : undefined
  return kept === undefined ? undefined : ((await kept.json()) as KeptCard)
}

export const dropCard = async (programId: string): Promise<void> => {
  if (isKeeping) await (await caches.open("cards")).delete(cardUrl(programId))
}

/** Keeps the page's own files, and begins to answer with them. */
export const keepPage = async ({ program_id }: PageFacts): Promise<void> => {
  if (!isKeeping || navigator.serviceWorker === undefined) return
  await navigator.serviceWorker.register("/my/assets/worker.js", { scope: "/my/" })
  const files = [...document.querySelectorAll<HTMLElement>("script[src], link[rel=stylesheet]")].map(
    (one) => one.getAttribute("src") ?? one.getAttribute("href") ?? ""
  )
  const at = `/my/${program_id}`
  const shell = await caches.open("shell")
  await shell.addAll([...files, at, `/my/api/v1/${program_id}/page`])
  // Files of versions before.
  for (const { url } of await shell.keys()) {
    const { pathname } = new URL(url)
    if (pathname.startsWith("/my/assets/") && !files.includes(pathname)) await shell.delete(url)
  }
}

/**
 * The files of the console that the first page does without. They are fetched before they are imported: a browser that
 * failed to import a file once does not ask for it again.
 */

/** The names of the files that a file needs, its own included. The build writes them into the page. */
const needs = JSON.parse(document.getElementById("files")?.textContent ?? "{}") as Readonly<
  Record<string, ReadonlyArray<string>>
>

/** A file that the service does not have: another version of the console is served now. */
export class Gone extends Error {
  override readonly name = "Gone"
}

/** Fetches that have not failed. Files are kept for ever, so that the import finds them in the browser's cache. */
const fetched = new Map<string, Promise<void>>()

const get = async (file: string, priority: RequestPriority): Promise<void> => {
  const answer = await fetch(`/console/assets/${file}`, { priority })
  if (answer.status < 500 && !answer.ok) throw new Gone(file)
  if (!answer.ok) throw new TypeError(`The module ${file} did not come`)
  await answer.arrayBuffer()
}

const once = (file: string, priority: RequestPriority): Promise<void> => {
  const known = fetched.get(file)
  if (known !== undefined) return known
  const work = get(file, priority)
  fetched.set(file, work)
  work.catch(() => fetched.delete(file))
  return work
}

/** Fetches what an import needs. */
export const fetchFor = async (load: () => Promise<unknown>): Promise<void> => {
  // The build replaces the module's path in the function by the name of its file.
  const [file = ""] = /[\w.-]+\.js/.exec(load.toString()) ?? []
  await Promise.all((needs[file] ?? []).map((one) => once(one, "high")))
}

/** Set when files are fetched ahead, and when all are there. */
const marks = { begin: "files ahead", end: "files there" } as const

const idle = (): Promise<void> =>
  // Safari has no idle callbacks.
  new Promise((resolve) =>
    "requestIdleCallback" in window ? requestIdleCallback(() => resolve()) : setTimeout(resolve, 50)
  )

/** Fetches all files, one after another. Stops at one that does not come, or once it is told to. */
export const fetchAhead = (): (() => void) => {
  let isStopped = false
  const run = async (): Promise<void> => {
    performance.mark(marks.begin)
    for (const file of new Set(Object.values(needs).flat())) {
      await idle()
      if (isStopped) return
      await once(file, "low")
    }
    performance.mark(marks.end)
  }
  // The page that needs the file tells it.
  run().catch(() => undefined)
  return () => {
    isStopped = true
  }
}

/** A till's store in a browser: a database of the page's origin, owned by one page or worker at a time. */
import type { Opened, Stored, TillStore } from "./Store.ts"
import { StoreError } from "./Store.ts"

/** The parts of IndexedDB and Web Locks that are used, so that their types are needed in no project. */
interface Request<A> {
  readonly result: A
  readonly error: unknown
  onsuccess: (() => void) | null
  onerror: (() => void) | null
}
interface OpenRequest extends Request<Database> {
  onupgradeneeded: (() => void) | null
  onblocked: (() => void) | null
}
interface Entries {
  readonly put: (entry: Stored) => unknown
  readonly delete: (id: string) => unknown
  readonly getAll: () => Request<ReadonlyArray<Stored>>
}
interface Transaction {
  readonly error: unknown
  readonly objectStore: (name: string) => Entries
  oncomplete: (() => void) | null
  onabort: (() => void) | null
}
interface Database {
  readonly createObjectStore: (name: string, options: { readonly keyPath: string }) => unknown
  readonly transaction: (
    name: string,
    mode: "readonly" | "readwrite",
    options: { readonly durability: "strict" }
  ) => Transaction
  readonly close: () => void
  onversionchange: (() => void) | null
}
interface Browser {
  readonly indexedDB?: { readonly open: (name: string, version: number) => OpenRequest }
  readonly navigator?: {
    readonly locks?: {
      readonly request: (
        name: string,
        options: { readonly ifAvailable: true },
        hold: (lock: unknown) => Promise<void>
      ) => Promise<void>
    }
  }
}

/** Version of the database's form. A browser opens none that is newer. */
const version = 1
const table = "entries"

const nameOf = (error: unknown): string => (error as { readonly name?: string } | null)?.name ?? ""

const faultOf = (error: unknown, what: string): StoreError => {
  if (nameOf(error) === "QuotaExceededError")
    return new StoreError("full", `${what}: the browser's share of the disk is full`, error)
  if (nameOf(error) === "VersionError")
    return new StoreError("newer_format", `${what}: a newer version of the client has written it`, error)
  return new StoreError("failed", `${what}: ${String(error)}`, error)
}

const openDatabase = (name: string): Promise<Database> =>
  new Promise((resolve, reject) => {
    const { indexedDB } = globalThis as unknown as Browser
    if (indexedDB === undefined) return reject(new StoreError("failed", "indexedDbStore needs a browser's IndexedDB"))
    const request = indexedDB.open(name, version)
    request.onupgradeneeded = () => void request.result.createObjectStore(table, { keyPath: "id" })
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(faultOf(request.error, `opening ${name}`))
    request.onblocked = () => reject(new StoreError("owned", `${name} is open in a page of an older version`))
  })

/** Holds the lock of a name until it is called; undefined where somebody else has it. */
const takeLock = (name: string): Promise<(() => void) | undefined> =>
  new Promise((resolve, reject) => {
    const locks = (globalThis as unknown as Browser).navigator?.locks
    if (locks === undefined)
      return reject(
        new StoreError("failed", "indexedDbStore needs Web Locks: serve the page over HTTPS or from localhost")
      )
    const held = locks.request(name, { ifAvailable: true }, (lock) => {
      if (lock === null) {
        resolve(undefined)
        return Promise.resolve()
      }
      return new Promise<void>((release) => resolve(release))
    })
    held.catch((error) => reject(faultOf(error, `locking ${name}`)))
  })

/** The name is that of the database; a page that ends, however it does, gives ownership back. */
export const indexedDbStore = (name: string): TillStore => {
  let owned: { readonly database: Database; readonly release: () => void } | undefined

  const change = (what: string, work: (entries: Entries) => unknown): Promise<void> =>
    new Promise((resolve, reject) => {
      if (owned === undefined) return reject(new StoreError("failed", `${what}: the store is not open`))
      try {
        const transaction = owned.database.transaction(table, "readwrite", { durability: "strict" })
        transaction.oncomplete = () => resolve()
        transaction.onabort = () => reject(faultOf(transaction.error, what))
        work(transaction.objectStore(table))
      } catch (error) {
        reject(faultOf(error, what))
      }
    })

  const readAll = (database: Database): Promise<ReadonlyArray<Stored>> =>
    new Promise((resolve, reject) => {
      const request = database.transaction(table, "readonly", { durability: "strict" }).objectStore(table).getAll()
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(faultOf(request.error, `reading ${name}`))
    })

  return {
    open: async (): Promise<Opened> => {
      const release = await takeLock(`lotbook-till ${name}`)
      if (release === undefined) throw new StoreError("owned", `another page or worker has ${name}`)
      try {
        const database = await openDatabase(name)
        // A newer version that wants to change the form waits no longer than this page needs to notice.
        database.onversionchange = () => database.close()
        const entries = await readAll(database)
        owned = { database, release }
        return { entries, damaged: [] }
      } catch (error) {
        release()
        throw error
      }
    },
    put: (id, text) => change(`keeping ${id}`, (entries) => entries.put({ id, text })),
    remove: (id) => change(`forgetting ${id}`, (entries) => entries.delete(id)),
    close: async () => {
      owned?.database.close()
      owned?.release()
      owned = undefined
    }
  }
}

/**
 * World of a fault run: the service as a process of its own with a
 * PostgreSQL, in a folder that is gone afterwards. The embedded one is the
 * service's own; behind a proxy it is ours, so that the wire can fail; on a small
 * disk there is an end to it.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as TestPostgres from "../TestPostgres.ts"
import { Postgres } from "./Postgres.ts"
import { diskFolder, runFolder } from "./Processes.ts"
import { Proxy } from "./Proxy.ts"
import { Service } from "./Service.ts"
import { Wires } from "./Wires.ts"

/** Size of the small disk, MB: a new cluster takes about 60, and fills the rest in no time. */
const diskMb = 256

export interface World {
  readonly service: Service
  /** Further nodes of the same database. */
  readonly others?: ReadonlyArray<Service>
  /** Between the nodes. */
  readonly wires?: Wires
  readonly postgres: Postgres
  /** Only where the service goes through one. */
  readonly proxy?: Proxy
  /** Only where the service reads archived spans: their folder, and the database's URL for commands. */
  readonly archive?: { readonly folder: string; readonly url: string }
  /** Only where the data folder has a disk of its own. */
  readonly disk?: string
  /** Stops everything in order and removes it; the service's exit code. */
  readonly close: () => Promise<number | null>
}

export const worlds = ["embedded", "proxied", "nodes", "archive", "small disk"] as const
export type WorldName = (typeof worlds)[number]

/** All services of a world. */
export const servicesOf = ({ others = [], service }: Pick<World, "others" | "service">): ReadonlyArray<Service> => [
  service,
  ...others
]

/** Closes what was opened when opening the rest fails. */
const opening = async (open: (closers: Array<() => unknown>) => Promise<Omit<World, "close">>): Promise<World> => {
  const closers: Array<() => unknown> = []
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer()
  }
  try {
    const world = await open(closers)
    return {
      ...world,
      close: async () => {
        const codes: Array<number | null> = []
        for (const one of servicesOf(world)) codes.push(await one.stop())
        await close()
        return codes.find((code) => code !== 0) ?? 0
      }
    }
  } catch (error) {
    await close()
    throw error
  }
}

const folderFor = (closers: Array<() => unknown>): string => {
  const { folder, remove } = runFolder()
  closers.push(remove)
  return folder
}

const embedded = (): Promise<World> =>
  opening(async (closers) => {
    const folder = folderFor(closers)
    const data = path.join(folder, "data")
    return { service: await Service.start(folder, ["--data-dir", data]), postgres: new Postgres(data) }
  })

/** A PostgreSQL of ours: its port, and its URL at a port. */
const ownPostgres = async (data: string, closers: Array<() => unknown>, connections?: number) => {
  const { clientConfig, stop } = await TestPostgres.start(data, connections)
  closers.push(stop)
  return { port: clientConfig.port, urlAt: (at: number) => TestPostgres.urlOf(clientConfig, at) }
}

const proxied = (): Promise<World> =>
  opening(async (closers) => {
    const folder = folderFor(closers)
    const data = path.join(folder, "data")
    const { port, urlAt } = await ownPostgres(data, closers)
    const proxy = await Proxy.start(port)
    closers.push(() => proxy.close())
    const service = await Service.start(folder, ["--database-url", urlAt(proxy.port)])
    return { service, postgres: new Postgres(data), proxy }
  })

/** As many connections as three nodes need while sessions of a killed one are still there (docs/operating.md). */
const connectionsOfNodes = 150

const nodes = (): Promise<World> =>
  opening(async (closers) => {
    const folder = folderFor(closers)
    const data = path.join(folder, "data")
    const { port, urlAt } = await ownPostgres(data, closers, connectionsOfNodes)
    const services: Array<Service> = []
    for (const name of ["first", "second", "third"]) {
      const own = path.join(folder, name)
      fs.mkdirSync(own)
      const service = await Service.start(own, ["--database-url", urlAt(port), "--leave-seconds", "1"], {
        isBusy: true
      })
      service.keepRunning()
      closers.push(() => service.stop())
      services.push(service)
    }
    const [service, ...others] = services
    if (service === undefined) throw new Error("there is no node")
    const postgres = new Postgres(data)
    const wires = new Wires(postgres)
    closers.push(() => wires.close())
    return { service, others, postgres, wires }
  })

const withArchive = (): Promise<World> =>
  opening(async (closers) => {
    const folder = folderFor(closers)
    const data = path.join(folder, "data")
    const { port, urlAt } = await ownPostgres(data, closers)
    const files = path.join(folder, "archive")
    fs.mkdirSync(files)
    const url = urlAt(port)
    const service = await Service.start(folder, ["--database-url", url, "--archive", files])
    return { service, postgres: new Postgres(data), archive: { folder: files, url } }
  })

const onSmallDisk = (): Promise<World> =>
  opening(async (closers) => {
    const folder = folderFor(closers)
    const disk = path.join(folder, diskFolder)
    fs.mkdirSync(disk)
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskMb}m,mode=0755`, "lotbook-faults", disk])
    closers.push(() => execFileSync("umount", [disk]))
    const data = path.join(disk, "data")
    return { service: await Service.start(folder, ["--data-dir", data]), postgres: new Postgres(data), disk }
  })

export const openWorld: { readonly [Name in WorldName]: () => Promise<World> } = {
  embedded,
  proxied,
  nodes,
  archive: withArchive,
  "small disk": onSmallDisk
}

/** Why there can be no small disk here; undefined where there can. */
export const noSmallDisk = (): string | undefined => {
  if (os.platform() !== "linux") return "a small disk is a tmpfs, which only Linux has"
  if (os.userInfo().uid !== 0) return "mounting a small disk needs root"
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "lotbook-mount-"))
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "lotbook-faults", folder], { stdio: "ignore" })
    execFileSync("umount", [folder], { stdio: "ignore" })
    return undefined
  } catch {
    return "this machine does not let its root mount a tmpfs"
  } finally {
    fs.rmdirSync(folder)
  }
}

/** Orders to the load process, and its answers. */
import type { Kind, TillAddress } from "./Bodies.ts"
import type { Percentiles } from "./Histogram.ts"

/** Members named `<prefix><first>`, `<prefix><first + stride>`, …: `count` of them. */
export interface Members {
  readonly prefix: string
  readonly first: number
  readonly stride: number
  readonly count: number
}

export type Workload =
  /** Members are enrolled. */
  | { readonly type: "enroll"; readonly members: Members }
  /** Members are given points to spend. */
  | { readonly type: "credit"; readonly members: Members }
  /** Accruals of distinct orders: of members by chance, or of each in turn so many times. */
  | { readonly type: "accruals"; readonly members: Members; readonly each?: number }
  /** One kind of request, of members by chance. */
  | { readonly type: "only"; readonly kind: Kind; readonly members: Members }
  /** A lunch rush. */
  | { readonly type: "mix"; readonly members: Members }

type Pace =
  /** As fast as the answers come. */
  | { readonly type: "closed" }
  /** At random moments, so many a second on average, whatever the answers do. */
  | { readonly type: "open"; readonly rate: number }

export interface Job {
  readonly port: number
  readonly token: string
  /** Of requests of tills by their vendor's contract. */
  readonly till?: TillAddress | undefined
  /** Makes the identifiers of this job unlike those of any other. */
  readonly tag: string
  readonly seed: number
  readonly workload: Workload
  readonly pace: Pace
  readonly connections: number
  /** Whether each request bears an `X-Request-Id` of its own, so that no two heads are the same bytes. */
  readonly freshRequestIds?: boolean
  readonly warmupMs: number
  /** Length of what is counted; Infinity is not JSON, so a job that ends by itself says a long time. */
  readonly measureMs: number
  /** Ends the job after so many requests. */
  readonly requests?: number
}

interface Counts {
  readonly good: number
  /** 503 with `Retry-After`. */
  readonly busy: number
  /** Any other answer. */
  readonly bad: number
}

export interface KindResult {
  readonly count: number
  readonly p50: number
  readonly p99: number
}

export interface JobResult {
  /** How long was counted, ms. */
  readonly windowMs: number
  /** Answers within what was counted. */
  readonly window: Counts
  /** Answers from the first request to the last. */
  readonly total: Counts
  /** Good answers of the whole job that posted a ledger entry. */
  readonly entries: number
  /** Of good answers within what was counted, ms; from the intended moment where the pace is open. */
  readonly latency: Percentiles
  readonly kinds: Readonly<Record<string, KindResult>>
  /** Requests that came due within what was counted. */
  readonly offered: number
  /** Requests that found the generator's own queue full. */
  readonly dropped: number
  /** Requests without an answer when the job ended. */
  readonly unanswered: number
  /** Connections that the server closed. */
  readonly closed: number
  /** CPU of the load process, seconds. */
  readonly cpuSeconds: number
  /** The first few bad answers. */
  readonly samples: ReadonlyArray<string>
}

export type ToLoad = { readonly id: number; readonly job: Job }
export type FromLoad =
  | { readonly id: number; readonly result: JobResult }
  | { readonly id: number; readonly error: string }

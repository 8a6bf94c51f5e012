/**
 * A stage of request processing (as in SEDA, Welsh et al. 2001): the jobs that
 * arrive in one turn of the event loop pass through it together, phase by phase.
 * Without it, each body is parsed and decoded between the work of two other
 * requests, with cold CPU caches. `test/bench/FIGURES.md` has what it saves.
 */
import { performance } from "node:perf_hooks"

interface StageOptions<Job> {
  /** Functions called with each job. A phase ends for all jobs before the next phase begins. */
  readonly phases: ReadonlyArray<(job: Job) => void>
  /** Called with a job whose phase threw; the job leaves the stage. */
  readonly onDefect: (job: Job, defect: unknown) => void
}

/** How a stage runs; tests replace it. */
interface Running {
  /** Runs a function in a later turn of the event loop. */
  readonly schedule: (run: () => void) => void
  /** ms */
  readonly now: () => number
}

export interface Stage<Job> {
  /** Adds a job. */
  readonly enter: (job: Job) => void
  /** Jobs that have not passed through. */
  readonly waiting: () => number
}

/**
 * Longest time that jobs hold the event loop, ms; then everything else has a turn, and they go on. Below what a caller
 * notices, and far above the work of the requests of a turn.
 */
export const sliceMs = 50

const ofLoop: Running = { schedule: setImmediate, now: () => performance.now() }

/** Makes a stage. */
export const make = <Job>({ onDefect, phases }: StageOptions<Job>, { now, schedule }: Running = ofLoop): Stage<Job> => {
  /** Jobs that have not begun. */
  let waiting: Array<Job> = []
  /** Jobs that pass through together. Those before `at` have completed the phase. */
  let batch: Array<Job> = []
  let phase = 0
  let at = 0
  let broken: Set<Job> | undefined
  /** True until no job is left. */
  let isScheduled = false

  /** Runs the phase for the rest of the batch; false if the time is up before its end. */
  const runPhase = (apply: (job: Job) => void, until: number): boolean => {
    while (at < batch.length) {
      const job = batch[at++]!
      try {
        apply(job)
      } catch (defect) {
        broken ??= new Set()
        broken.add(job)
        onDefect(job, defect)
      }
      if (now() >= until) break
    }
    return at === batch.length
  }

  const run = (): void => {
    const until = now() + sliceMs
    if (batch.length === 0) {
      batch = waiting
      waiting = []
    }
    for (let apply = phases[phase]; apply !== undefined; apply = phases[phase]) {
      if (!runPhase(apply, until)) return schedule(run)
      phase++
      at = 0
      const lost = broken
      if (lost !== undefined) batch = batch.filter((job) => !lost.has(job))
      broken = undefined
    }
    batch = []
    phase = 0
    isScheduled = waiting.length > 0
    if (isScheduled) schedule(run)
  }

  return {
    enter: (job) => {
      waiting.push(job)
      if (isScheduled) return
      isScheduled = true
      schedule(run)
    },
    waiting: () => waiting.length + batch.length - (phase === phases.length - 1 ? at : 0)
  }
}

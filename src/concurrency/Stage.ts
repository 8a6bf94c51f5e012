/**
 * A stage of the way that requests take (as in SEDA, Welsh et al. 2001): the jobs
 * that reach it in one turn of the event loop go through it together, phase by
 * phase. Without it each body is parsed and decoded between the whole work of two
 * other requests, out of cold caches, at more than twice the cost.
 */

export interface StageOptions<Job> {
  /** What is done with each job; a phase is over for all before the next begins. */
  readonly phases: ReadonlyArray<(job: Job) => void>
  /** Receives a job that met a defect, which leaves the stage by it. */
  readonly broke: (job: Job, defect: unknown) => void
}

export interface Stage<Job> {
  /** Gives a job to the stage. */
  readonly enter: (job: Job) => void
  /** Jobs that wait for the end of the turn. */
  readonly waiting: () => number
}

/** Opens a stage. `schedule` runs something at the end of the turn; tests do that by hand. */
export const make = <Job>(
  { broke, phases }: StageOptions<Job>,
  schedule: (run: () => void) => void = setImmediate
): Stage<Job> => {
  let waiting: Array<Job> = []

  /** The jobs that came through a phase. */
  const through = (phase: (job: Job) => void, jobs: ReadonlyArray<Job>): ReadonlyArray<Job> => {
    let broken: Set<Job> | undefined
    for (const job of jobs) {
      try {
        phase(job)
      } catch (defect) {
        broken ??= new Set()
        broken.add(job)
        broke(job, defect)
      }
    }
    const lost = broken
    return lost === undefined ? jobs : jobs.filter((job) => !lost.has(job))
  }

  const run = (): void => {
    let jobs: ReadonlyArray<Job> = waiting
    waiting = []
    for (const phase of phases) jobs = through(phase, jobs)
  }

  return {
    enter: (job) => {
      if (waiting.push(job) === 1) schedule(run)
    },
    waiting: () => waiting.length
  }
}

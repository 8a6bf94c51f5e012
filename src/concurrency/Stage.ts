/**
 * A stage of request processing (as in SEDA, Welsh et al. 2001): the jobs that
 * arrive in one turn of the event loop pass through it together, phase by phase.
 * Without it, each body is parsed and decoded between the work of two other
 * requests, with cold CPU caches. `test/bench/FIGURES.md` has what it saves.
 */

interface StageOptions<Job> {
  /** Functions called with each job. A phase ends for all jobs before the next phase begins. */
  readonly phases: ReadonlyArray<(job: Job) => void>
  /** Called with a job whose phase threw; the job leaves the stage. */
  readonly onDefect: (job: Job, defect: unknown) => void
}

export interface Stage<Job> {
  /** Adds a job. */
  readonly enter: (job: Job) => void
  /** Jobs that wait for the end of this turn. */
  readonly waiting: () => number
}

/** Makes a stage. `schedule` runs a function at the end of the turn; tests call it by hand. */
export const make = <Job>(
  { onDefect, phases }: StageOptions<Job>,
  schedule: (run: () => void) => void = setImmediate
): Stage<Job> => {
  let waiting: Array<Job> = []

  /** The jobs that completed a phase. */
  const through = (phase: (job: Job) => void, jobs: ReadonlyArray<Job>): ReadonlyArray<Job> => {
    let broken: Set<Job> | undefined
    for (const job of jobs) {
      try {
        phase(job)
      } catch (defect) {
        broken ??= new Set()
        broken.add(job)
        onDefect(job, defect)
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

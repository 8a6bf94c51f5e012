/**
 * The service's clock is wrong at its start, and jumps ahead under load: it refuses its role and names both times, posts
 * nothing, and goes on once the clock is right.
 */
import type { Accrual, Answer, Replicated } from "./Failover.ts"
import { accrualsOf, check, definiteMs, sendAll } from "./Failover.ts"
import { until } from "./Processes.ts"
import * as Runbook from "./Runbook.ts"

/** How far the clock is off, ms: every point of the rounds has expired by then. */
const wrongMs = 1_200 * 86_400_000
/** How long the clock stays wrong, ms: expirations are looked for several times. */
const wrongForMs = 2_500
/** Longest time from a jump to the refusal, ms. The service needs none; the answer does on a busy machine. */
const refusalMs = 5_000
/** Allowed difference of both named times from what they must be, ms. */
const namedWithinMs = 10_000
/** Longest time by which a record's date may differ from its writing, ms: the tolerance of the clocks. */
const datedWithinMs = 30_000

const alert = "LotbookClockDisagrees"

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const recordsOf = async ({ primary }: Replicated): Promise<number> =>
  Number((await primary.query("SELECT count(*)::float8 AS records FROM journal"))[0]?.["records"])

/** Waits until the role is refused; what is wrong with the answer. */
const refused = async ({ service }: Replicated, aheadMs: number, limitMs: number): Promise<ReadonlyArray<string>> => {
  const answer = await until(
    "the clock is refused",
    async () => {
      const found = await service.get("/health/ready")
      return found?.text.includes('"clock_disagrees"') === true ? found : undefined
    },
    limitMs
  )
  const body = JSON.parse(answer.text) as Readonly<Record<string, string>>
  const { database_time = "", detail = "", machine_time = "" } = body
  const differs = Date.parse(machine_time) - Date.parse(database_time)
  return [
    ...(answer.status === 503 ? [] : [`/health/ready: ${answer.status}`]),
    ...(Math.abs(differs - aheadMs) < namedWithinMs ? [] : [`it names ${machine_time} and ${database_time}`]),
    ...(detail.includes(machine_time) && detail.includes(database_time) ? [] : [`no two times in: ${detail}`])
  ]
}

/** While the clock is wrong: no record is written, every write is refused, the alert fires. */
const nothingPosted = async (world: Replicated, name: string): Promise<ReadonlyArray<string>> => {
  const before = await recordsOf(world)
  const tried = accrualsOf(`${name}-tried`, 20)
  const answers = await sendAll([world.service], tried, wrongForMs)
  const after = await recordsOf(world)
  return [
    ...[...answers.values()].map(({ status }) => `a write was answered ${status} while the clock was wrong`),
    ...(after === before ? [] : [`${after - before} records were written while the clock was wrong`]),
    ...(await Runbook.firing(world.service, alert))
  ]
}

/** No record is dated by the wrong clock, and points are there that would have expired by it. */
const dated = async ({ primary }: Replicated): Promise<ReadonlyArray<string>> => {
  const [row] = await primary.query(
    `SELECT (SELECT count(*)::int FROM journal WHERE abs(at - written_at) > ${datedWithinMs}) AS misdated,
      (SELECT count(*)::int FROM ledger_entries WHERE operation = 'expiration') AS expired,
      (SELECT count(*)::int FROM ledger_entries WHERE expires_at < now() + interval '${wrongMs} ms') AS endangered`
  )
  const { endangered, expired, misdated } = row ?? {}
  return [
    ...(misdated === 0 ? [] : [`${String(misdated)} records are dated by the wrong clock`]),
    ...(expired === 0 ? [] : [`${String(expired)} expirations were posted`]),
    ...(Number(endangered) > 0 ? [] : ["nothing would have expired by the wrong clock"])
  ]
}

/** A round: `isAhead` says how the clock is wrong at the start; under load it always jumps ahead. */
export const clockJump = async (
  world: Replicated,
  name: string,
  count: number,
  isAhead: boolean
): Promise<ReadonlyArray<string>> => {
  const { service } = world
  const said = Runbook.listen(service)
  const startsAt = isAhead ? wrongMs : -wrongMs
  await service.stop()
  service.moveClock(startsAt)
  service.resume()
  const faults = [...(await refused(world, startsAt, definiteMs)), ...(await nothingPosted(world, `${name}-start`))]
  service.moveClock(0)
  await service.ready()

  const restarts = service.restarts
  const accruals: Array<Accrual> = []
  const answers = new Map<string, Answer>()
  let goesOn = true
  const load = async () => {
    for (let batch = 1; goesOn; batch++) {
      const sent = accrualsOf(`${name}-load-${batch}`, count)
      accruals.push(...sent)
      for (const [order, answer] of await sendAll([service], sent, definiteMs)) answers.set(order, answer)
    }
  }
  const running = load()
  await until("the load is under way", () => answers.size >= count)
  service.moveClock(wrongMs)
  faults.push(...(await refused(world, wrongMs, refusalMs)))
  // Records that were in flight at the jump may still be committed, with their right date.
  await sleep(500)
  faults.push(...(await nothingPosted(world, `${name}-jump`)))
  service.moveClock(0)
  await service.ready()
  goesOn = false
  await running
  if (service.restarts > restarts) faults.push("the service ended although its clock alone was wrong")
  return [
    ...faults,
    ...(await check(world, name, answers, accruals)),
    ...(await dated(world)),
    ...said.faults(alert, ["clock_disagrees", "clock_agrees"])
  ]
}

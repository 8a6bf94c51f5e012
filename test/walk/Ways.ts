/** The requests that can be walked: what each needs beforehand, and one of it. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as Testing from "../../src/app/testing/Testing.ts"
import type { Served } from "./Served.ts"

export const ways = ["accrual", "evaluate", "publish", "campaign", "delivery", "gift", "forwarded"] as const
export type Way = (typeof ways)[number]

export interface Scene {
  readonly service: Served
  /** Further nodes of its database. */
  readonly further: ReadonlyArray<Served>
  readonly program: { readonly program_id: string }
  /** The rows of a statement on the service's database. */
  readonly query: (statement: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
}

/** Does the request once more, and waits for its end. */
export type Once = () => Promise<void>

const member_id = "ada"

export const enrolled = ({ program: { program_id }, service }: Scene, id = member_id) =>
  service.post("/proto/v1/members/enroll", {
    context: Testing.context(),
    program_id,
    identity: { type: "loyalty_id", value: `card-${id}` },
    member_id: id
  })

let orders = 0

/** An order of the guest, as paid now. */
const paid = ({ program: { program_id } }: Scene) =>
  Testing.order(`order-${++orders}`, 1_000, Testing.placedNow, program_id)

const accrual =
  (scene: Scene, id = member_id) =>
  () =>
    scene.service.post("/proto/v1/accruals", { context: Testing.context(), member_id: id, order: paid(scene) })

const evaluate = (scene: Scene) => () => {
  const { idempotency_key: _, ...context } = Testing.context()
  return scene.service.post("/proto/v1/orders/evaluate", { context, member_id, order: paid(scene) })
}

const publish = ({ program, service }: Scene) => {
  let version = 0
  return () => service.post("/admin/api/v1/programs/publish", { program: { ...program, name: `Version ${++version}` } })
}

const campaign = async ({ program: { program_id }, service }: Scene) => {
  const segment_id = "members"
  const campaign_id = "points-for-all"
  const put = { segment_id, name: "Members", program_id, rules: { joined_within_days: 1 } }
  await service.put(`/platform/v1/segments`, put)
  const credit = { credit: { amount: 10, reason: "campaign" } }
  await service.put("/platform/v1/campaigns", { campaign_id, name: "Points", program_id, segment_id, action: credit })
  await service.post("/platform/v1/campaigns/status", { campaign_id, status: "active" })
  let runs = 0
  return () => service.post("/platform/v1/campaigns/run", { campaign_id, run_key: `run-${++runs}` })
}

/** An accrual, and the delivery of its event to a receiver, until the service has stored that. */
const delivery = async (scene: Scene): Promise<Once> => {
  const receiver = http.createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(204).end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  receiver.unref()
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  const configuration = { url, event_types: ["proto.order.accrued.v1"] }
  await scene.service.put("/platform/v1/connectors", {
    connector_id: "receiver",
    name: "Receiver",
    type: "webhook",
    configuration,
    enabled: true
  })
  const delivered = async () => {
    const [row] = await scene.query("SELECT count(*)::int AS n FROM deliveries WHERE status = 'delivered'")
    return Number(row?.["n"])
  }
  const send = accrual(scene)
  return async () => {
    const before = await delivered()
    await send()
    while ((await delivered()) === before) await new Promise(setImmediate)
  }
}

/** Somebody who is signed in credits points. */
const gift = async ({ program: { program_id }, service }: Scene): Promise<Once> => {
  const person = await service.signedIn()
  let gifts = 0
  return () =>
    person.post(`/admin/api/v1/members/${program_id}/${member_id}/adjustments`, {
      adjustment_id: `gift-${++gifts}`,
      amount: 10,
      classification: "gift",
      reason: "a cold soup",
      qualifies_for_tier: false
    })
}

/** The needs of a way before its first request, and how one is made. */
export const prepared: Readonly<Record<Way, (scene: Scene) => Once | Promise<Once>>> = {
  accrual,
  evaluate,
  publish,
  campaign,
  delivery,
  gift,
  forwarded: async (scene) => {
    // A node that enrols owns the account.
    await enrolled({ ...scene, service: scene.further[0]! }, "ben")
    return accrual(scene, "ben")
  }
}

/** A host that misbehaves is caught, by the case whose rule it breaks (issue 37, 3). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Report from "../../src/conformance/Report.ts"
import type { Json, Misbehaviour } from "./Proxy.ts"
import * as Proxy from "./Proxy.ts"
import * as Service from "./Service.ts"

interface Wrong {
  readonly does: string
  readonly program: (typeof Service.programIds)[number]
  readonly only: string
  /** Cases that must differ. */
  readonly caught: ReadonlyArray<string>
  /** Created for each run: some misbehaviours keep state. */
  readonly make: () => Misbehaviour
}

const isOk = (status: number): boolean => status >= 200 && status < 300

/** Answers that were given under a key, by the key. */
const remembered = () => new Map<string, Json>()

const hour = 3_600_000
const later = (text: string): string => new Date(Date.parse(text) + hour).toISOString()

const wrongs: ReadonlyArray<Wrong> = [
  {
    does: "loses a ledger entry",
    program: "noodle-club",
    only: "ledger.c",
    caught: ["ledger.conservation"],
    make: () => ({
      after: ({ body, path, status }) => {
        if (path.endsWith("/ledger/list") && isOk(status) && body.entries.length > 1) body.entries.splice(1, 1)
      }
    })
  },
  {
    does: "lists an entry with another amount than it acknowledged",
    program: "noodle-club",
    only: "ledger",
    caught: ["ledger.acknowledged", "ledger.conservation"],
    make: () => ({
      after: ({ body, path, status }) => {
        if (path.endsWith("/ledger/list") && isOk(status)) for (const entry of body.entries) entry.amount *= 2
      }
    })
  },
  {
    does: "earns twice the points",
    program: "bistro-treue",
    only: "earning.rate",
    caught: ["earning.rate"],
    make: () => ({
      after: ({ body, path, status }) => {
        if (path.endsWith("/accruals") && isOk(status)) body.entry.amount *= 2
      }
    })
  },
  {
    does: "lets excluded lines earn",
    program: "bistro-treue",
    only: "earning.exclusions",
    caught: ["earning.exclusions"],
    make: () => ({
      before: ({ body, path }) => {
        if (!path.endsWith("/accruals") || body.order === undefined) return
        for (const line of body.order.lines)
          Object.assign(line, { category_ids: [], tags: [], product_id: "plain", loyalty_eligible: true })
      }
    })
  },
  {
    does: "replays another body",
    program: "noodle-club",
    only: "replay.accrual",
    caught: ["replay.accrual.post"],
    make: () => {
      const keys = remembered()
      return {
        after: ({ body, path, sent, status }) => {
          if (!path.endsWith("/accruals") || !isOk(status)) return
          const key = sent.context.idempotency_key
          if (keys.has(key)) body.entry.entry_id = `${body.entry.entry_id}-again`
          keys.set(key, body)
        }
      }
    }
  },
  {
    does: "ignores conflicts of a key",
    program: "noodle-club",
    only: "conflict",
    caught: ["conflict.ledger.manual_adjustment", "conflict.accrual.post", "conflict.redemption.reserve"],
    make: () => {
      const keys = remembered()
      return {
        after: (passing) => {
          const key = passing.sent?.context?.idempotency_key
          if (isOk(passing.status)) keys.set(key, passing.body)
          if (passing.body?.code !== "idempotency_conflict") return
          passing.status = 200
          passing.headers["content-type"] = "application/json"
          passing.body = keys.get(key)
        }
      }
    }
  },
  {
    does: "pages that overlap",
    program: "noodle-club",
    only: "ledger.pages",
    caught: ["ledger.pages"],
    make: () => {
      let last: Json
      return {
        after: ({ body, path, sent, status }) => {
          if (!path.endsWith("/ledger/list") || !isOk(status)) return
          if (sent.cursor !== undefined && last !== undefined) body.entries.unshift(last)
          last = body.entries.at(-1)
        }
      }
    }
  },
  {
    does: "pages that leave entries out",
    program: "noodle-club",
    only: "ledger.pages",
    caught: ["ledger.pages"],
    make: () => ({
      after: ({ body, path, sent, status }) => {
        if (path.endsWith("/ledger/list") && isOk(status) && sent.cursor !== undefined) body.entries.shift()
      }
    })
  },
  {
    does: "captures an expired hold",
    program: "bistro-treue",
    only: "redemption.expires",
    caught: ["redemption.expires"],
    make: () => {
      const reservations = remembered()
      return {
        after: (passing) => {
          const { body, path, sent, status } = passing
          if (isOk(status) && body.reservation !== undefined) reservations.set(body.reservation.reservation_id, body)
          if (!path.endsWith("/redemptions/capture") || body.code !== "expired") return
          passing.status = 200
          passing.headers["content-type"] = "application/json"
          passing.body = reservations.get(sent.reservation_id)
        }
      }
    }
  },
  {
    does: "rounds refunds part by part",
    program: "harbour-brewery",
    only: "adjusting.parts",
    caught: ["adjusting.parts"],
    make: () => ({
      after: ({ body, path, sent, status }) => {
        if (!path.endsWith("/orders/adjust") || !isOk(status)) return
        const amount = Math.floor(sent.adjustment.eligible_spend_delta.amount / 30)
        for (const entry of body.entries ?? [body.entry]) if (entry.unit === "points") entry.amount = amount
      }
    })
  },
  {
    does: "names other methods in Allow",
    program: "noodle-club",
    only: "wrong-method",
    caught: ["transport.wrong-method"],
    make: () => ({
      after: ({ headers, status }) => {
        if (status === 405) headers["allow"] = "GET, DELETE"
      }
    })
  },
  {
    does: "has a clock that is an hour ahead",
    program: "noodle-club",
    only: "clock",
    caught: ["doctor.clock", "answers.clock"],
    make: () => ({
      after: ({ body, headers }) => {
        headers["date"] = new Date(Date.now() + hour).toUTCString()
        if (body?.context?.processed_at !== undefined) body.context.processed_at = later(body.context.processed_at)
      }
    })
  },
  {
    does: "answers errors in HTML",
    program: "noodle-club",
    only: "problem",
    caught: ["answers.problem"],
    make: () => ({
      after: (passing) => {
        if (passing.status !== 422) return
        passing.headers["content-type"] = "text/html"
        passing.body = "<html><body>422</body></html>"
      }
    })
  },
  {
    does: "does not echo the request id of a replay",
    program: "noodle-club",
    only: "request_id",
    caught: ["answers.request-id"],
    make: () => {
      const keys = remembered()
      return {
        after: ({ body, sent, status }) => {
          const key = sent?.context?.idempotency_key
          if (!isOk(status) || body?.context === undefined || key === undefined) return
          const first = keys.get(key)
          if (first === undefined) keys.set(key, body.context.request_id)
          else body.context.request_id = first
        }
      }
    }
  },
  {
    does: "accepts unknown properties",
    program: "noodle-club",
    only: "unknown-properties",
    caught: ["validation.unknown-properties"],
    make: () => ({
      before: ({ body }) => {
        if (typeof body === "object" && body !== null) delete body.unexpected
      }
    })
  },
  {
    does: "lets callers in without a token",
    program: "noodle-club",
    only: "token",
    caught: ["doctor.token-refused", "transport.token-missing", "transport.token-wrong"],
    make: () => ({
      before: ({ headers }) => {
        headers["authorization"] = `Bearer ${Service.token}`
      }
    })
  },
  {
    does: "fails where it should refuse",
    program: "noodle-club",
    only: "validation.identifiers",
    caught: ["validation.identifiers"],
    make: () => ({
      after: (passing) => {
        if (passing.status === 422) passing.status = 500
      }
    })
  },
  {
    does: "does not count what is held",
    program: "harbour-brewery",
    only: "available",
    caught: ["redemption.reserve", "answers.available"],
    make: () => ({
      after: ({ body }) => {
        for (const balance of body?.balances ?? []) balance.reserved = 0
      }
    })
  },
  {
    does: "keeps what a released hold had",
    program: "harbour-brewery",
    only: "redemption.release",
    caught: ["redemption.release"],
    make: () => {
      const released = new Set<string>()
      return {
        after: ({ body, path, status }) => {
          if (path.endsWith("/redemptions/reverse") && isOk(status)) released.add(body.reservation.member_id)
          for (const balance of body?.balances ?? []) if (released.has(balance.member_id)) balance.available -= 1
        }
      }
    }
  },
  {
    does: "spends the lot first that expires first",
    program: "harbour-brewery",
    only: "lots.first-in",
    caught: ["lots.first-in-first-out"],
    make: () => ({
      after: ({ body, path, status }) => {
        if (!path.endsWith("/accounts/get") || !isOk(status) || body.expiring_balances.length < 2) return
        const [first, second] = body.expiring_balances
        first.amount -= 1
        second.amount += 1
      }
    })
  },
  {
    does: "answers null for what is absent, and fields of its own",
    program: "noodle-club",
    only: "exact",
    caught: ["answers.exact"],
    make: () => ({
      after: ({ body, path, status }) => {
        if (path.includes("/programs/get") && isOk(status)) body.vendor = null
      }
    })
  }
]

/** Differences that do not end the run, named by doctor or by the rules over all answers. */
const more: ReadonlyArray<Wrong> = [
  {
    does: "leaves an operation out of its capabilities",
    program: "noodle-club",
    only: "ledger.pages",
    caught: ["doctor.operations"],
    make: () => ({
      after: ({ body, path, status }) => {
        if (path.endsWith("/capabilities") && isOk(status)) body.operations = body.operations.slice(1)
      }
    })
  },
  {
    does: "leaves request_id out of its answers",
    program: "noodle-club",
    only: "request-id",
    caught: ["answers.request-id"],
    make: () => ({
      after: ({ body, status }) => {
        if (isOk(status) && body?.context !== undefined) delete body.context.request_id
      }
    })
  }
]

const names = (outcomes: ReadonlyArray<{ readonly id: string }>) => outcomes.map(({ id }) => id)

layer(Service.layer, { excludeTestServices: true })("a host that", (it) => {
  for (const { caught, does, make, only, program } of [...wrongs, ...more]) {
    it.effect(`${does} is caught by ${caught.join(", ")}`, () =>
      Effect.gen(function* () {
        const address = yield* Proxy.before(yield* Service.url, make())
        const report = yield* Service.verify(address, { program, only, strict: true, seed: 37 })
        assert.isUndefined(report.stopped)
        const found = Service.differing(report)
        for (const id of caught) assert.include(names(found), id, Service.told(found))
        assert.strictEqual(Report.exitCode(report), 1)
      })
    )
  }

  it.effect("passes everything on is green by the same cases", () =>
    Effect.gen(function* () {
      const address = yield* Proxy.before(yield* Service.url, {})
      const report = yield* Service.verify(address, { program: "noodle-club", only: "ledger", seed: 37 })
      assert.deepStrictEqual(names(Service.differing(report)), [], Service.told(Service.differing(report)))
    })
  )
})

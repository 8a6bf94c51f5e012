/** Each alert rule fires for the installation in trouble, and no other installation of the same Prometheus hides it. */
import { assert, describe, it } from "@effect/vitest"
import type { Series } from "./PromQl.ts"
import { evaluate, now } from "./PromQl.ts"
import { rules } from "./Rules.ts"

const minutes = 11

type Labels = Readonly<Record<string, string>>

const requests = "lotbook_http_request_duration_seconds"

/** A series whose value is the same all the time, or that grows by `aMinute`. */
const one = (name: string, labels: Labels, value: number, aMinute = 0): Series => ({
  labels: { __name__: name, ...labels },
  values: Array.from({ length: minutes }, (_, minute) => value + minute * aMinute)
})

/** The series of one service that does well. */
const healthy = (job: string, environment: string, instance: string): ReadonlyArray<Series> => {
  const of = { job, environment, instance }
  const buckets = (name: string, labels: Labels) =>
    ["0.01", "1", "5", "+Inf"].map((le) => one(`${name}_bucket`, { ...labels, le }, 0, 600))
  return [
    one("up", of, 1),
    one("lotbook_node_confirmed", of, 1),
    one("lotbook_cluster_nodes", of, environment === "sandbox" ? 1 : 2),
    one("lotbook_cluster_unowned_partitions", of, 0),
    one("lotbook_cluster_link_down_seconds", { ...of, node: "a1", address: "10.0.0.9:3211" }, 0),
    one("lotbook_cluster_link_silences_total", { ...of, node: "a1", address: "10.0.0.9:3211" }, 0),
    one("lotbook_clock_disagrees", of, 0),
    one("lotbook_write_frozen", of, 0),
    one("lotbook_admin_key_sign_ins_total", of, 0),
    one(`${requests}_count`, { ...of, operation: "accrual.post", status: "201", code: "" }, 0, 600),
    ...buckets(requests, { ...of, operation: "accrual.post" }),
    one("lotbook_journal_failed_groups_total", of, 0),
    one("lotbook_durability_wait_seconds", { ...of, reason: "standby" }, 0),
    one("lotbook_journal_lost_records_total", of, 0),
    one("lotbook_journal_missing_spans", of, 0),
    one("lotbook_journal_unsealed_spans", of, 0),
    ...buckets("lotbook_journal_commit_duration_seconds", of),
    one("lotbook_event_loop_delay_seconds", { ...of, quantile: "0.99" }, 0.01),
    one("lotbook_expiry_lag_seconds", of, 0),
    one("lotbook_expiry_skipped_accounts", of, 0),
    one("lotbook_rollups_lag_seconds", of, 1),
    one("lotbook_finance_lag_seconds", of, 1),
    one("lotbook_mails_oldest_seconds", of, 1),
    one("lotbook_webhook_failing_seconds", of, 60),
    one("lotbook_claims_total", { ...of, program: "demo-foodservice", outcome: "wrong_code" }, 0, 1),
    one("lotbook_clock_difference_seconds", of, -0.2),
    ...ofDatabase(of, environment)
  ]
}

/** Reads of a node from the database. A sandbox is neither verified nor archived. */
const ofDatabase = (of: Labels, environment: string): ReadonlyArray<Series> => [
  one("lotbook_verify_timestamp_seconds", of, environment === "sandbox" ? 0 : now - 3_600),
  one("lotbook_verify_full_timestamp_seconds", of, environment === "sandbox" ? 0 : now - 20 * 86_400),
  one("lotbook_verify_differences", of, environment === "sandbox" ? Number.NaN : 0),
  one("lotbook_wal_archived_timestamp_seconds", of, environment === "sandbox" ? Number.NaN : now - 60),
  one("lotbook_wal_archive_failures", of, environment === "sandbox" ? Number.NaN : 3),
  one("lotbook_database_oldest_transaction_seconds", of, 2),
  one("lotbook_database_connections", of, 30),
  one("lotbook_database_connections_limit", of, 100)
]

const pair = (job: string, environment = "live"): ReadonlyArray<Series> => [
  ...healthy(job, environment, `${job}-a`),
  ...healthy(job, environment, `${job}-b`)
]

const named = (series: ReadonlyArray<Series>, name: string, change: (series: Series) => ReadonlyArray<Series>) =>
  series.flatMap((each) => (each.labels["__name__"] === name ? change(each) : [each]))

const set = (name: string, value: number) => (series: ReadonlyArray<Series>) =>
  named(series, name, (each) => [{ ...each, values: each.values.map(() => value) }])

const without = (series: ReadonlyArray<Series>, instance: string) =>
  series.flatMap((each) =>
    each.labels["instance"] !== instance
      ? [each]
      : each.labels["__name__"] === "up"
        ? [{ ...each, values: each.values.map(() => 0) }]
        : []
  )

/** Requests with a code, so many a minute. */
const refused = (code: string, aMinute: number) => (series: ReadonlyArray<Series>) => {
  const { environment = "", instance = "", job = "" } = series[0]?.labels ?? {}
  return [
    ...series,
    one(`${requests}_count`, { job, environment, instance, operation: "accrual.post", code }, 0, aMinute)
  ]
}

/** All observations are above a second. */
const slow = (name: string) => (series: ReadonlyArray<Series>) =>
  named(series, `${name}_bucket`, (each) => [
    ["5", "+Inf"].includes(each.labels["le"] ?? "") ? each : { ...each, values: each.values.map(() => 0) }
  ])

/** Fault of installation `lotbook` where each rule fires. */
const troubles: Readonly<Record<string, (series: ReadonlyArray<Series>) => ReadonlyArray<Series>>> = {
  LotbookNoNode: set("lotbook_node_confirmed", 0),
  LotbookPartitionsUnowned: set("lotbook_cluster_unowned_partitions", 86),
  LotbookNodeUnreachable: set("lotbook_cluster_link_down_seconds", 6),
  LotbookClockDisagrees: set("lotbook_clock_disagrees", 1),
  LotbookServiceDown: (series) => without(series, "lotbook-b"),
  LotbookTooFewNodes: (series) => set("lotbook_cluster_nodes", 1)(without(series, "lotbook-b")),
  LotbookStorageUnavailable: refused("storage_unavailable", 6),
  LotbookFailedGroups: (series) =>
    named(series, "lotbook_journal_failed_groups_total", ({ labels }) => [one(labels["__name__"] ?? "", labels, 0, 1)]),
  LotbookDurabilityWaiting: set("lotbook_durability_wait_seconds", 6),
  LotbookRecordsLost: set("lotbook_journal_lost_records_total", 3),
  LotbookInternalErrors: refused("internal_error", 1),
  LotbookOverloaded: refused("overloaded", 60),
  LotbookSlowRequests: slow(requests),
  LotbookSlowCommits: slow("lotbook_journal_commit_duration_seconds"),
  LotbookSpansMissing: set("lotbook_journal_missing_spans", 2),
  LotbookSpansUnsealed: set("lotbook_journal_unsealed_spans", 1),
  LotbookEventLoopLate: set("lotbook_event_loop_delay_seconds", 2),
  LotbookExpirationsLate: set("lotbook_expiry_lag_seconds", 400),
  LotbookAccountsSkipped: set("lotbook_expiry_skipped_accounts", 1),
  LotbookFiguresLate: set("lotbook_rollups_lag_seconds", 400),
  LotbookFinanceLate: set("lotbook_finance_lag_seconds", 4_000),
  LotbookMailsLate: set("lotbook_mails_oldest_seconds", 700),
  LotbookConnectorFailing: set("lotbook_webhook_failing_seconds", 4_000),
  LotbookClaimCodesGuessed: (series) =>
    named(series, "lotbook_claims_total", ({ labels }) => [one(labels["__name__"] ?? "", labels, 0, 6)]),
  LotbookAdminKeyInConsole: (series) =>
    named(series, "lotbook_admin_key_sign_ins_total", ({ labels }) => [one(labels["__name__"] ?? "", labels, 0, 1)]),
  LotbookWritesFrozen: set("lotbook_write_frozen", 1),
  LotbookClockDrifts: set("lotbook_clock_difference_seconds", -12),
  LotbookVerifyDifferences: set("lotbook_verify_differences", 2),
  LotbookVerifyOld: set("lotbook_verify_timestamp_seconds", now - 3 * 86_400),
  LotbookVerifyFullOld: set("lotbook_verify_full_timestamp_seconds", now - 41 * 86_400),
  LotbookWalArchiveFailing: (series) =>
    named(series, "lotbook_wal_archive_failures", ({ labels }) => [one(labels["__name__"] ?? "", labels, 3, 1)]),
  LotbookWalArchiveOld: set("lotbook_wal_archived_timestamp_seconds", now - 3_600),
  LotbookOldTransaction: set("lotbook_database_oldest_transaction_seconds", 4_000),
  LotbookConnectionsNearLimit: set("lotbook_database_connections", 95)
}

/** Installations beside it that do well: another live one, and a sandbox of one service. */
const others = [...pair("lotbook-other"), ...healthy("lotbook-sandbox", "sandbox", "sandbox-a")]

describe("alert rules", () => {
  it("have a test each", () => {
    assert.deepStrictEqual([...rules.keys()].toSorted(), Object.keys(troubles).toSorted())
  })

  for (const [name, { query }] of rules) {
    it(`${name} fires for the installation in trouble alone, whatever runs beside it`, () => {
      assert.deepStrictEqual(evaluate(query, [...pair("lotbook"), ...others]), [], "nothing is wrong")
      const trouble = troubles[name]?.(pair("lotbook")) ?? []
      for (const beside of [[], others]) {
        const fired = evaluate(query, [...beside, ...trouble])
        assert.isNotEmpty(fired)
        for (const { labels } of fired) assert.deepInclude(labels, { job: "lotbook", environment: "live" })
      }
    })
  }

  it("an installation that does not answer at all has no node", () => {
    const gone = without(without(pair("lotbook"), "lotbook-a"), "lotbook-b")
    const fired = evaluate(rules.get("LotbookNoNode")?.query ?? "", [...others, ...gone])
    assert.deepStrictEqual(
      fired.map(({ labels }) => labels["job"]),
      ["lotbook"]
    )
  })

  it("a joining node that is polled raises no alert for storage, a till's refused request does", () => {
    const polled = [...pair("lotbook")]
    polled.push(
      one(`${requests}_count`, { ...polled[0]?.labels, operation: "ready", code: "storage_unavailable" }, 0, 60)
    )
    const fired = (series: ReadonlyArray<Series>) =>
      evaluate(rules.get("LotbookStorageUnavailable")?.query ?? "", [...others, ...series])
    assert.deepStrictEqual(fired(polled), [])
    assert.isNotEmpty(fired(refused("storage_unavailable", 6)(polled)))
  })

  it("a first internal error fires although its series has no rate yet", () => {
    const first = refused(
      "internal_error",
      0
    )(pair("lotbook")).map((each) =>
      each.labels["code"] === "internal_error"
        ? { ...each, values: each.values.map((_, minute) => (minute === minutes - 1 ? 1 : undefined)) }
        : each
    )
    const fired = evaluate(rules.get("LotbookInternalErrors")?.query ?? "", [...others, ...first])
    assert.deepInclude(fired[0]?.labels, { job: "lotbook" })
  })

  it("a database that was never verified or archived fires, one without an archive does not", () => {
    const firedBy = (name: string, metric: string, value: number) =>
      evaluate(rules.get(name)?.query ?? "", set(metric, value)(pair("lotbook"))).length
    assert.strictEqual(firedBy("LotbookVerifyOld", "lotbook_verify_timestamp_seconds", 0), 1)
    assert.strictEqual(firedBy("LotbookVerifyFullOld", "lotbook_verify_full_timestamp_seconds", 0), 1)
    assert.strictEqual(firedBy("LotbookWalArchiveOld", "lotbook_wal_archived_timestamp_seconds", 0), 1)
    assert.strictEqual(firedBy("LotbookWalArchiveOld", "lotbook_wal_archived_timestamp_seconds", Number.NaN), 0)
  })

  it("expirations are not late while writes are frozen", () => {
    const frozen = set("lotbook_write_frozen", 1)(set("lotbook_expiry_lag_seconds", 400)(pair("lotbook")))
    assert.deepStrictEqual(evaluate(rules.get("LotbookExpirationsLate")?.query ?? "", [...others, ...frozen]), [])
  })
})

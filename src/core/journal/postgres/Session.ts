/** Settings of every PostgreSQL session of the journal. */

/** Forces index plans: tables begin empty and grow without ANALYZE, so the statistics mislead the planner. */
export const settings = {
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  plan_cache_mode: "force_generic_plan",
  jit: "off",
  // After a group has waited for its lock, it must see the rows committed meanwhile.
  default_transaction_isolation: "read committed"
}

/** Bounds of connections, each with its unit and the reason for the number. The journal has its own (`src/core/journal/Bounds.ts`). */

/** Limit of one attempt to connect, ms: service must be back 5 s after PostgreSQL is. */
export const connectTimeoutMs = 2_000

/** The same while the service starts, ms: on a busy machine a starting process answers PostgreSQL late. */
export const startConnectMs = 20_000

/** Timeout of a statement on the server, ms: the longest one, a page of a list of millions, takes a hundredth of it. */
export const statementTimeoutMs = 10_000

/**
 * Connections of each pool, by its name in metrics and in the names of its sessions. With the journal's writers
 * (`src/core/journal/Bounds.ts`) and `alone` they are all of a node. With those of commands they must fit into the 50 of the
 * embedded server, which serves one node alone; PostgreSQL's default of 100 is enough for three nodes, and
 * too few for the fourth of a rolling upgrade, so that the guide and compose.yaml ask for 150.
 */
export const connections = {
  /** Reads of accounts: they are short, and statements share a connection. */
  reads: 4,
  /** The feed: one for the rollups, one for the sums of finance, one for what is published, one for the lags. */
  feed: 4,
  /** The writer of the rollups: it runs one statement at a time. */
  rollups: 1,
  /** The progress of deliveries: it is written for one connector at a time. */
  webhooks: 1,
  /** The operators' figures, read from the rollups. */
  figures: 2,
  /** Work that a person waits for: short statements, and requests with a key, which hold one until they are answered. */
  people: 4,
  /**
   * Events, imports, campaigns, analytics and audiences: two that take long (`longTransactions`), those that a campaign's
   * step and an import's batch hold, and another.
   */
  work: 5
}

/**
 * Further connections at once: the beats, the placement, a check of the history, the wait for durability, and one for a
 * publication or a change of the freeze.
 */
export const alone = 5

/** Transactions with statements of up to a minute at once: half of the connections for work stay free for others. */
export const longTransactions = 2

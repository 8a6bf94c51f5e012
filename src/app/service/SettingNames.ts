/** The table of all settings (contract/configuration.md *Variables*). */
import { environmentName } from "../../contract/protocol/Protocol.ts"
import { residentAccounts } from "../../core/account/Bounds.ts"
import { type Kept, kept } from "../../core/retention/Kept.ts"

/** Flag, variable and meaning of the setting that says how long something is kept. `what`: in the plural. */
const keep = (name: Kept, flag: string, variable: string, what: string) => {
  const { days, least, most } = kept[name]
  return [
    `keep-${flag}-days`,
    environmentName(`KEEP_${variable}_DAYS`),
    `days for which ${what} are kept, ${least} to ${most} (${days})`
  ] as const
}

/** Flag, environment variable and meaning of each setting, with the default in brackets. */
export const names = {
  host: ["host", "HOST", "address to listen on (127.0.0.1)"],
  port: ["port", "PORT", "port to listen on, 0 for any (3210)"],
  databaseUrl: ["database-url", "DATABASE_URL", "an existing PostgreSQL, 15 or later (default: the embedded one)"],
  dataDir: ["data-dir", "DATA_DIR", "the embedded PostgreSQL's files (.data)"],
  archive: [
    "archive",
    environmentName("ARCHIVE"),
    "folder with the files of archived months, for requests that need them (none)"
  ],
  programs: ["programs", "PROGRAMS", "programme file, or folder of program*.json (the demo programme)"],
  programsPublish: [
    "programs-publish",
    environmentName("PROGRAMS_PUBLISH"),
    "publish the files even over a version that was published another way: true or false (false)"
  ],
  token: ["token", environmentName("TOKEN"), "the sandbox bearer token: all scopes but admin:*, all programmes"],
  tokens: [
    "tokens",
    environmentName("TOKENS"),
    "further tokens: JSON list of {token_sha256, scopes, programs?, name?}"
  ],
  adminKey: ["admin-key", environmentName("ADMIN_KEY"), "the operators' key"],
  adminKeyConsole: [
    "admin-key-console",
    environmentName("ADMIN_KEY_CONSOLE"),
    "let the operators' key sign in to the console: true or false (true)"
  ],
  publicUrl: [
    "public-url",
    environmentName("PUBLIC_URL"),
    "address of the service for people's browsers, such as https://points.example.com; passkeys belong to its host (http://localhost:PORT)"
  ],
  corsOrigins: [
    "cors-origins",
    environmentName("CORS_ORIGINS"),
    "origins of other pages that may call the service from browsers, such as https://order.example.com,https://shop.example.com (none)"
  ],
  oidcIssuer: [
    "oidc-issuer",
    environmentName("OIDC_ISSUER"),
    "the company's OpenID Connect provider for people, such as https://login.example.com (none)"
  ],
  oidcClientId: ["oidc-client-id", environmentName("OIDC_CLIENT_ID"), "the service's client id at the provider"],
  oidcClientSecret: ["oidc-client-secret", environmentName("OIDC_CLIENT_SECRET"), "its secret there"],
  oidcRoleClaim: [
    "oidc-role-claim",
    environmentName("OIDC_ROLE_CLAIM"),
    "the claim that has a person's role, or its path (role)"
  ],
  oidcRoleMap: [
    "oidc-role-map",
    environmentName("OIDC_ROLE_MAP"),
    'JSON object from values of that claim to roles, such as {"loyalty-admins": "owner"}'
  ],
  smtpUrl: [
    "smtp-url",
    environmentName("SMTP_URL"),
    "the mail server, such as smtps://name:password@mail.example.com or smtp://mail.example.com:587 (none: no mail is sent)"
  ],
  mailFrom: [
    "mail-from",
    environmentName("MAIL_FROM"),
    'the sender of mails: an address, or name and address such as "Corner Bowl <points@example.com>"'
  ],
  writeFreeze: ["write-freeze", environmentName("WRITE_FREEZE"), "start with writes frozen: true or false (false)"],
  seedDemo: [
    "seed-demo",
    environmentName("SEED_DEMO"),
    "demo members, and on an empty database two months of history: true or false"
  ],
  sandboxClock: [
    "sandbox-clock",
    environmentName("SANDBOX_CLOCK"),
    "run a sandbox whose clock starts at this time and moves only on request, such as 2026-07-14T10:00:00Z"
  ],
  nodeAddress: [
    "node-address",
    environmentName("NODE_ADDRESS"),
    "address, or address:port, where other nodes reach this one: loopback or private (127.0.0.1, any port)"
  ],
  leaveSeconds: [
    "leave-seconds",
    environmentName("LEAVE_SECONDS"),
    "how long a node that stops answers 503 after it has handed over, if other nodes are there, seconds, 0 to 5 (3)"
  ],
  clockToleranceSeconds: [
    "clock-tolerance-seconds",
    environmentName("CLOCK_TOLERANCE_SECONDS"),
    "largest difference between the machine's clock and PostgreSQL's, seconds, 1 to 3600 (30)"
  ],
  residentAccounts: [
    "resident-accounts",
    "RESIDENT_ACCOUNTS",
    `maximum number of accounts in memory (${residentAccounts})`
  ],
  rateLimit: ["rate-limit", environmentName("RATE_LIMIT"), "requests a minute for one token (off)"],
  trustedProxies: [
    "trusted-proxies",
    environmentName("TRUSTED_PROXIES"),
    "addresses or ranges of proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8,::1 (none)"
  ],
  webhookPrivate: [
    "webhook-private",
    environmentName("WEBHOOK_PRIVATE"),
    "allow webhooks to addresses that are not public: true or false (false)"
  ],
  keepDeliveries: keep("deliveries", "deliveries", "DELIVERIES", "deliveries of webhooks that have ended"),
  keepImportRows: keep(
    "import_rows",
    "import-rows",
    "IMPORT_ROWS",
    "errors of imports, and what became of their rows,"
  ),
  keepGuestEvents: keep("guest_events", "guest-events", "GUEST_EVENTS", "events of guests"),
  keepOrderFigures: keep("order_figures", "order-figures", "ORDER_FIGURES", "figures of single orders"),
  keepCampaignTargets: keep(
    "campaign_targets",
    "campaign-targets",
    "CAMPAIGN_TARGETS",
    "members to whom a campaign that has ended gave nothing"
  ),
  keepKeptOrders: keep("kept_orders", "kept-orders", "KEPT_ORDERS", "orders without a guest that are over"),
  keepIdempotencyKeys: keep(
    "idempotency_keys",
    "idempotency-keys",
    "IDEMPOTENCY_KEYS",
    "idempotency keys beside a business id"
  ),
  logLevel: ["log-level", "LOG_LEVEL", "trace, debug, info, warn, error or fatal (info)"],
  logFormat: ["log-format", "LOG_FORMAT", "pretty or json (pretty on a terminal, else json)"],
  logRequestsPerSecond: [
    "log-requests-per-second",
    "LOG_REQUESTS_PER_SECOND",
    "log lines of reads per second at most; writes and errors always have a line (100)"
  ],
  otlpEndpoint: [
    "otlp-endpoint",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "address of an OpenTelemetry collector for traces, such as http://127.0.0.1:4318 (no traces)"
  ]
} as const

export type SettingName = keyof typeof names

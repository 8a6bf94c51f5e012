/**
 * The least and the most that bodies of `/platform/v1` and `/admin/api/v1` may hold. Holds contract/engagement.md
 * *Profiles*, *Events of guests*, *Segments*, *Campaigns*; contract/events.md *Connectors*;
 * contract/operators.md *Lists*, *Tokens*; contract/resources.md *Values*.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result, type Schema } from "effect"
import { Limit } from "../../src/contract/admin/Endpoint.ts"
import { Rotation } from "../../src/contract/admin/Tokens.ts"
import { strictDecoder } from "../../src/contract/Decode.ts"
import { CampaignFacts } from "../../src/contract/platform/Campaigns.ts"
import { ConnectorFacts } from "../../src/contract/platform/Connectors.ts"
import { EventFacts } from "../../src/contract/platform/Events.ts"
import { ImportRow } from "../../src/contract/platform/Imports.ts"
import { ProfileFacts } from "../../src/contract/platform/Members.ts"
import { PreviewSegment, PutSegment } from "../../src/contract/platform/Segments.ts"
import { operations } from "../../src/contract/protocol/Operations.ts"
import { bodies } from "./protocol/Bodies.ts"

const text = (length: number) => "x".repeat(length)
const secret = (bytes: number) => `whsec_${Buffer.alloc(bytes, 7).toString("base64")}`
const members = (count: number) => Array.from({ length: count }, (_, n) => `m${n}`)

const event = { idempotency_key: "event-0001", type: "visit", member_id: "ada" }
const campaign = { name: "Spring", segment_id: "all", reward_id: "free-bowl" }
const connector = (more: object) => ({
  name: "Till",
  type: "webhook",
  configuration: { url: "https://hooks.example.com", event_types: ["*"], ...more }
})
const words = ["evaluate", "merge", "publish", "validate"]

/** Values at the bounds, which are taken, and beyond them, which are refused at the place. */
const bounds: ReadonlyArray<
  readonly [
    what: string,
    schema: Schema.ConstraintDecoder<unknown>,
    place: string,
    body: (value: unknown) => unknown,
    taken: ReadonlyArray<unknown>,
    refused: ReadonlyArray<unknown>
  ]
> = [
  [
    "the key of an event",
    EventFacts,
    "/idempotency_key",
    (value) => ({ ...event, idempotency_key: value }),
    [text(8), text(255)],
    [text(7), text(256)]
  ],
  [
    "the type of an event",
    EventFacts,
    "/type",
    (value) => ({ ...event, type: value }),
    [text(1), text(128)],
    ["", text(129)]
  ],
  [
    "the members of a static segment",
    PutSegment,
    "/member_ids",
    (value) => ({ name: "Some", member_ids: value }),
    [[], members(50_000)],
    [members(50_001)]
  ],
  [
    "the sample of a preview",
    PreviewSegment,
    "/sample_size",
    (value) => ({ segment_id: "all", sample_size: value }),
    [1, 100],
    [-1, 101, 1.5]
  ],
  [
    "the holdout of a campaign",
    CampaignFacts,
    "/holdout_percent",
    (value) => ({ ...campaign, holdout_percent: value }),
    [0, 90],
    [-1, 91, 0.5]
  ],
  ...(["attribution_days", "attribution_window_days"] as const).map(
    (name) =>
      [
        `${name} of a campaign`,
        CampaignFacts,
        `/${name}`,
        (value: unknown) => ({ ...campaign, [name]: value }),
        [1, 90],
        [0, 91]
      ] as const
  ),
  [
    "the life of a campaign's reward, in short",
    CampaignFacts,
    "/issued_reward_ttl_seconds",
    (value) => ({ ...campaign, issued_reward_ttl_seconds: value }),
    [60],
    [59]
  ],
  [
    "the life of a campaign's reward",
    CampaignFacts,
    "/action/issue_reward/expires_in_seconds",
    (value) => ({
      name: "Spring",
      segment_id: "all",
      action: { issue_reward: { reward_id: "free-bowl", expires_in_seconds: value } }
    }),
    [60],
    [59]
  ],
  [
    "a campaign's credit",
    CampaignFacts,
    "/action/credit/amount",
    (value) => ({ name: "Spring", segment_id: "all", action: { credit: { amount: value, reason: "Thanks" } } }),
    [1, 10_000_000_000],
    [0, 10_000_000_001]
  ],
  [
    "the deliveries of a connector",
    ConnectorFacts,
    "/configuration/max_in_flight",
    (value) => connector({ max_in_flight: value }),
    [1, 64],
    [0, 65]
  ],
  [
    "the secret of a connector",
    ConnectorFacts,
    "/configuration/secret",
    (value) => connector({ secret: value }),
    [secret(24), secret(64)],
    [secret(23), secret(65)]
  ],
  [
    "a telephone number",
    ProfileFacts,
    "/phone",
    (value) => ({ member_id: "ada", phone: value }),
    ["+12", `+4${"9".repeat(14)}`, null],
    ["+1", `+4${"9".repeat(15)}`, "+0123456", "4930123456", ""]
  ],
  [
    "the overlap of a rotation, seconds",
    Rotation,
    "/overlap_seconds",
    (value) => ({ overlap_seconds: value }),
    [0, 30 * 86_400],
    [-1, 30 * 86_400 + 1]
  ],
  ["the limit of a list", Limit, "", (value) => value, ["1", "200"], ["0", "201", "-1", "1.5", "01", ""]],
  // The words of the operators' paths are no ids of something new.
  [
    "the id of a new campaign",
    CampaignFacts,
    "/campaign_id",
    (value) => ({ ...campaign, campaign_id: value }),
    ["all"],
    words
  ],
  ["the id of a new member", ProfileFacts, "/member_id", (value) => ({ member_id: value }), ["all"], words],
  ["the id of an imported member", ImportRow, "/member_id", (value) => ({ member_id: value }), ["all"], words],
  [
    "the id of an enrolled member",
    operations["member.enroll"].request,
    "/member_id",
    (value) => ({ ...(bodies["member.enroll"] as object), member_id: value }),
    ["all"],
    words
  ]
]

describe("the bounds of bodies", () => {
  for (const [what, schema, place, body, taken, refused] of bounds)
    it(what, () => {
      const decode = strictDecoder(schema)
      for (const value of taken) assert.isTrue(Result.isSuccess(decode(body(value))), String(value).slice(0, 40))
      for (const value of refused) {
        const decoded = decode(body(value))
        const places = Result.isFailure(decoded) ? decoded.failure.map((fault) => fault.path) : []
        assert.deepStrictEqual(places, [place], String(value).slice(0, 40))
      }
    })
})

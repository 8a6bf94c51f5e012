/** Things that a guest sees of herself and of the programme (contract/guests.md *What a guest sees*). */
import { Schema } from "effect"
import { Consent, ConsentChannel, ConsentPurpose, KnownEmail, Phone } from "../platform/Members.ts"
import { told } from "../Said.ts"
import {
  BusinessDate,
  Cursor,
  field,
  Identifier,
  IneligibleReason,
  Integer,
  MemberStatus,
  optional,
  RecordedId,
  Text,
  Timestamp,
  Unit,
  Value
} from "../Values.ts"

const GuestConsent = Schema.Struct({
  purpose: Consent.fields.purpose,
  channel: Consent.fields.channel,
  granted: Consent.fields.granted,
  updated_at: field(Timestamp, "When the guest decided.")
}).annotate({ identifier: "GuestConsent" })

export const GuestMember = Schema.Struct({
  name: optional(Text, "The guest's name."),
  birthday: optional(BusinessDate, "The date of birth."),
  email: optional(KnownEmail, "The e-mail address."),
  phone: optional(Phone, "The telephone number."),
  language: field(Text, "The guest's language, else the page's first one."),
  joined_at: field(Timestamp, "When the guest joined."),
  status: field(MemberStatus, "A guest who is not `active` sees everything and changes nothing."),
  consents: field(Schema.Array(GuestConsent), "The newest decision for each purpose and channel.")
}).annotate({ identifier: "GuestMember", description: "The guest." })
export type GuestMember = typeof GuestMember.Type

export const GuestBalance = Schema.Struct({
  unit: field(Unit, "The account's unit."),
  label: optional(Text, "The unit's name, as the programme has it."),
  points: field(Integer, "The balance. Below 0 after a refund of what was spent."),
  spendable: field(Integer, "What can be spent now; at least 0.")
}).annotate({ identifier: "GuestBalance" })
export type GuestBalance = typeof GuestBalance.Type

const GuestExpiring = Schema.Struct({
  unit: field(Unit, "The account's unit."),
  points: field(Integer, "So many expire."),
  at: field(Timestamp, "From then on they are gone.")
}).annotate({ identifier: "GuestExpiring" })

const GuestTier = Schema.Struct({
  name: field(Text, "The tier's name."),
  next: optional(
    Schema.Struct({
      name: field(Text, "The next tier's name."),
      missing: field(
        Schema.Array(
          Schema.Struct({
            metric: field(Unit, "The unit that counts."),
            missing: field(Integer, "So much is missing.")
          }).annotate({ identifier: "GuestMissing" })
        ),
        "What is missing for it."
      )
    }).annotate({ identifier: "GuestNextTier" }),
    "The tier above. Absent: there is none."
  )
}).annotate({ identifier: "GuestTier" })

/** Why a guest cannot take a reward into the wallet now. */
export const whyNot = ["too_few_points", "below_minimum", "not_yet", "at_the_till", "not_active"] as const
export type WhyNot = (typeof whyNot)[number]

const GuestReward = Schema.Struct({
  reward_id: field(Identifier, "The reward, for `POST …/rewards`."),
  name: field(Text, "The reward's name."),
  description: optional(Schema.String, "A sentence that describes it."),
  unit: field(Unit, "The unit of its cost."),
  points: field(Integer, "The cost, in that unit."),
  missing: field(Integer, "What is missing for it; 0: nothing."),
  can_take: field(Schema.Boolean, "True: the guest can take it into the wallet now."),
  why: optional(
    Schema.Literals(whyNot),
    "Why not. `below_minimum`: the programme's `minimum_points`. `at_the_till`: it is for an order at the till alone."
  ),
  available_from: optional(Timestamp, "With `not_yet`: from then on.")
}).annotate({ identifier: "GuestReward" })
export type GuestReward = typeof GuestReward.Type

export const WalletEntry = Schema.Struct({
  issued_reward_id: field(RecordedId, "The reward in the wallet."),
  name: field(Text, "The reward's name."),
  code: optional(Value, "What the guest shows at the till."),
  kind: optional(Schema.Literals(["code", "qr_code"]), "How it is shown."),
  issued_at: field(Timestamp, "Since when the guest has it."),
  expires_at: optional(Timestamp, "From then on it is worth nothing. Absent: never.")
}).annotate({ identifier: "GuestWalletEntry", description: "A reward in the wallet." })
export type WalletEntry = typeof WalletEntry.Type

const GuestPromotion = Schema.Struct({
  name: field(Text, "The promotion's name."),
  description: optional(Schema.String, "A sentence that describes it."),
  until: optional(Timestamp, "When it ends for good. Absent: it has no end.")
}).annotate({ identifier: "GuestPromotion" })
export type GuestPromotion = typeof GuestPromotion.Type

const GuestChallenge = Schema.Struct({
  name: field(Text, "The challenge's name."),
  description: optional(Schema.String, "A sentence that describes it."),
  done: field(Integer, "What counts so far."),
  target: field(Integer, "What completes it."),
  until: optional(Timestamp, "When it starts anew or ends. Absent: never.")
}).annotate({ identifier: "GuestChallenge" })

const GuestExpiringLater = Schema.Struct({
  unit: field(Unit, "The account's unit."),
  points: field(Integer, "So many expire.")
}).annotate({ identifier: "GuestExpiringLater" })

const GuestNews = Schema.Struct({
  name: optional(Text, "The campaign's name for guests."),
  text: field(Text, "What it says."),
  at: field(Timestamp, "When it last gave the guest something.")
}).annotate({ identifier: "GuestNews", description: "What a campaign says to a guest to whom it gave something." })

export const Me = Schema.Struct({
  member: field(GuestMember, "The guest."),
  balances: field(Schema.Array(GuestBalance), "One for each account of the programme."),
  expiring: field(Schema.Array(GuestExpiring), "Points that expire, the earliest first; at most 12 dates."),
  expiring_later: optional(
    Schema.Array(GuestExpiringLater),
    "What expires after the dates of `expiring`, by unit. Absent: nothing."
  ),
  tier: optional(GuestTier, "The guest's tier. Absent: the programme has none."),
  rewards: field(Schema.Array(GuestReward), "The programme's rewards that are not over, in its order."),
  wallet: field(Schema.Array(WalletEntry), "Rewards that the guest has, the newest first."),
  card: optional(
    Schema.Struct({ value: field(Value, "What the card's codes say.") }).annotate({ identifier: "GuestCard" }),
    "The guest's card (`loyalty_id`). Absent: there is none."
  ),
  promotions: field(Schema.Array(GuestPromotion), "Promotions that this guest can still get today."),
  challenges: field(Schema.Array(GuestChallenge), "The challenges that are not over."),
  news: optional(
    Schema.Array(GuestNews),
    "What active campaigns say to the guest, the newest first, at most 3: those that gave it something in the last 30 days. Absent: nothing."
  ),
  leaving: optional(
    Schema.Struct({ erases_at: field(Timestamp, "Then everything about the guest is erased.") }).annotate({
      identifier: "GuestLeaving"
    }),
    "The guest has asked to leave."
  )
}).annotate({ identifier: "Me", description: "Everything that the page's first view shows." })
export type Me = typeof Me.Type

/** Kinds of entries, for the page to put into words. */
export const historyKinds = [
  "earned",
  "refunded",
  "corrected",
  "spent",
  "given_back",
  "expired",
  "gift",
  "card_filled",
  "merged",
  "moved"
] as const
export type HistoryKind = (typeof historyKinds)[number]

const HistoryEntry = Schema.Struct({
  at: field(Timestamp, "When it happened."),
  kind: field(
    Schema.Literals(historyKinds),
    "`refunded`, `corrected`: an order changed. `spent`, `given_back`: a reward. `gift`: by staff or a campaign. `card_filled`: a full " +
      "stamp card was emptied. `merged`: another card of the guest. `moved`: an order came from another guest or went there, or points from another provider."
  ),
  points: field(Integer, "The points, below 0 if they went."),
  unit: field(Unit, "The account's unit."),
  location: optional(Text, "The restaurant's name."),
  reward: optional(Text, "The reward's name."),
  promotions: optional(Schema.Array(Text), "The names of promotions that gave some of the points.")
}).annotate({ identifier: "GuestHistoryEntry" })
export type HistoryEntry = typeof HistoryEntry.Type

export const HistoryPage = Schema.Struct({
  entries: field(Schema.Array(HistoryEntry), "The newest first."),
  next_cursor: optional(Cursor, "The next page. Absent: this is the last one."),
  archived: optional(Schema.Literal(true), "The last page: what is older is kept elsewhere.")
}).annotate({ identifier: "GuestHistory", description: "A page of the guest's history." })
export type HistoryPage = typeof HistoryPage.Type

export const ClaimedByGuest = Schema.Struct({
  points: field(Integer, "What the order has earned on the account that earns by spend."),
  unit: field(Unit, "That account's unit."),
  more: optional(
    Schema.Array(
      Schema.Struct({
        points: field(Integer, "What the order has earned."),
        unit: field(Unit, "The account's unit.")
      }).annotate({ identifier: "GuestEarned" })
    ),
    "The same of other accounts, such as stamps. Absent: none."
  ),
  again: optional(Schema.Literal(true), "The guest has had the order already: nothing was posted now."),
  reasons: optional(Schema.Array(IneligibleReason), "Why an account earned nothing."),
  promotions: optional(Schema.Array(Text), "The names of promotions that gave some of the points."),
  balances: field(Schema.Array(GuestBalance), "The balances afterwards.")
}).annotate({ identifier: "GuestClaimedOrder", description: "What an order earned that the guest claimed." })
export type ClaimedByGuest = typeof ClaimedByGuest.Type

/** Most consents in a request. */
const maxConsents = 20

export const ProfileByGuest = Schema.Struct({
  name: optional(Schema.NullOr(Text), "The guest's name. Absent: unchanged. Null: cleared."),
  birthday: optional(Schema.NullOr(BusinessDate), "The date of birth. Absent: unchanged. Null: cleared."),
  language: optional(Text, "One of the page's languages. Absent: unchanged."),
  consents: optional(
    Schema.Array(
      Schema.Struct({
        purpose: field(ConsentPurpose, "The purpose, such as `marketing`."),
        channel: optional(ConsentChannel, "The channel. Absent: the purpose as a whole."),
        granted: field(Schema.Boolean, "True: the guest consents. False: the guest withdraws.")
      }).annotate({ identifier: "GuestConsentChange" })
    ).check(Schema.isMaxLength(maxConsents, { message: told`must have at most ${maxConsents} items` })),
    "Decisions. Absent: unchanged."
  ),
  text_version: optional(
    Schema.String.check(
      Schema.isPattern(/^[A-Za-z0-9._-]{1,40}$/, { message: "must be the text_version of the page" })
    ),
    "The version of the text that the guest read (`text_version` of the page). Absent: the present one."
  )
}).annotate({ identifier: "GuestProfileChange" })
export type ProfileByGuest = typeof ProfileByGuest.Type

/**
 * Requests that a till of Toast makes, and answers that it takes: the names and types of its Loyalty Integration API 1.1.
 * Numbers of a request are text (`Json.ts`); properties that nothing here reads are left out, and so are nulls. A request
 * is asked for no more than its transaction needs.
 */
import { Result, Schema } from "effect"
import { type BodyFault, lenientDecoder } from "../../../contract/Decode.ts"
import { ForeignId } from "../../../contract/Values.ts"
import { isDecimal } from "../Decimals.ts"
import { objectOf } from "./Json.ts"

/** Header names, in lower case. */
export const headers = {
  type: "toast-transaction-type",
  transaction: "toast-transaction-guid",
  restaurant: "toast-restaurant-external-id",
  key: "authorization"
} as const

export const transactionTypes = [
  "LOYALTY_SEARCH",
  "LOYALTY_SIGNUP",
  "LOYALTY_INQUIRE",
  "LOYALTY_REDEEM",
  "LOYALTY_ACCRUE",
  "LOYALTY_REVERSE",
  "LOYALTY_TRANSFER"
] as const
export type TransactionType = (typeof transactionTypes)[number]

const transactionStatuses = [
  "ACCEPT",
  "ERROR_INVALID_TOAST_TRANSACTION_TYPE",
  "ERROR_ACCOUNT_INVALID",
  "ERROR_INVALID_INPUT_PROPERTIES",
  "ERROR_TRANSACTION_DOES_NOT_EXIST",
  "ERROR_INVALID_TOKEN",
  "ERROR_TRANSACTION_CANNOT_BE_REVERSED",
  "ERROR_INVALID_RESTAURANT",
  "ERROR_INVALID_TRANSFER",
  "ERROR_ALREADY_REGISTERED",
  "ERROR"
] as const
/** `ERROR` is for failures that the list of the description has no status for. */
export type TransactionStatus = (typeof transactionStatuses)[number]

const maybe = Schema.optionalKey
const listOf = <S extends Schema.Constraint>(item: S, maximum = 1_000) =>
  Schema.Array(item).check(Schema.isMaxLength(maximum, { message: `must have at most ${maximum} items` }))

/** A number, as the text of the body. */
const Decimal = Schema.String.check(
  Schema.makeFilter((text) => isDecimal(text) || "must be a number of at most 20 digits before the point, 40 after it")
)

const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/

/** ms of a date with a time; its offset may be written without a colon, as Toast does. NaN for another text. */
export const instantOf = (text: string): number => {
  if (!instantPattern.test(text)) return Number.NaN
  const hasColon = text.endsWith("Z") || text.at(-3) === ":"
  return Date.parse(hasColon ? text : `${text.slice(0, -2)}:${text.slice(-2)}`)
}

const Instant = Schema.String.check(
  Schema.makeFilter((text) => !Number.isNaN(instantOf(text)) || "must be a date with time and offset")
)

const Reference = Schema.Struct({
  guid: maybe(ForeignId),
  /** Of an entity of the menu, for all restaurants that share it. */
  multiLocationId: maybe(ForeignId)
})

const AppliedDiscount = Schema.Struct({
  guid: maybe(ForeignId),
  name: maybe(Schema.String),
  discountAmount: maybe(Decimal),
  /** The part that lowers the price without its tax. */
  nonTaxDiscountAmount: maybe(Decimal),
  /** Of rewards: PENDING_APPLIED, APPLIED, PENDING_VOID, VOID. */
  processingState: maybe(Schema.String),
  /** Of rewards; `referenceId` is the offer's identifier. */
  loyaltyDetails: maybe(Schema.Struct({ referenceId: maybe(Schema.String) }))
})
export type AppliedDiscount = typeof AppliedDiscount.Type

const selectionFields = {
  guid: ForeignId,
  item: maybe(Reference),
  itemGroup: maybe(Reference),
  salesCategory: maybe(Reference),
  /** 1 without one. */
  quantity: maybe(Decimal),
  /** NONE, OPEN_ITEM, SPECIAL_REQUEST, PORTION, HOUSE_ACCOUNT_PAY_BALANCE. */
  selectionType: maybe(Schema.String),
  appliedDiscounts: maybe(listOf(AppliedDiscount)),
  /** True for sales that earn money later, such as gift cards. */
  deferred: maybe(Schema.Boolean),
  /** Before discounts and tax, for the whole quantity. */
  preDiscountPrice: maybe(Decimal),
  /** After all discounts, those of the check included. */
  price: maybe(Decimal),
  tax: maybe(Decimal),
  voided: maybe(Schema.Boolean),
  displayName: maybe(Schema.String),
  /** INCLUDED, NOT_INCLUDED, INHERITED. */
  taxInclusion: maybe(Schema.String),
  plu: maybe(Schema.String)
} as const

/** An item of a check, or a modifier of one. */
export interface Selection extends Schema.Struct.Type<typeof selectionFields> {
  readonly modifiers?: ReadonlyArray<Selection>
}

const Selection: Schema.Codec<Selection> = Schema.Struct({
  ...selectionFields,
  modifiers: maybe(Schema.Array(Schema.suspend((): Schema.Codec<Selection> => Selection)))
})

const ServiceCharge = Schema.Struct({
  guid: maybe(ForeignId),
  name: maybe(Schema.String),
  /** Without tax. */
  chargeAmount: maybe(Decimal),
  delivery: maybe(Schema.Boolean),
  gratuity: maybe(Schema.Boolean),
  appliedTaxes: maybe(listOf(Schema.Struct({ taxAmount: maybe(Decimal) })))
})
export type ServiceCharge = typeof ServiceCharge.Type

const Payment = Schema.Struct({
  guid: maybe(ForeignId),
  paidDate: maybe(Instant),
  /** `yyyyMMdd`. */
  paidBusinessDate: maybe(Schema.String),
  /** CASH, CREDIT, GIFTCARD, HOUSE_ACCOUNT, REWARDCARD, LEVELUP, OTHER, UNDETERMINED. */
  type: maybe(Schema.String),
  amount: maybe(Decimal),
  tipAmount: maybe(Decimal),
  /** NONE, PARTIAL, FULL. */
  refundStatus: maybe(Schema.String),
  paymentStatus: maybe(Schema.String)
})
export type Payment = typeof Payment.Type

const Check = Schema.Struct({
  guid: ForeignId,
  displayNumber: maybe(Schema.String),
  openedDate: maybe(Instant),
  closedDate: maybe(Instant),
  modifiedDate: maybe(Instant),
  paidDate: maybe(Instant),
  deleted: maybe(Schema.Boolean),
  voided: maybe(Schema.Boolean),
  selections: listOf(Selection),
  appliedDiscounts: maybe(listOf(AppliedDiscount)),
  appliedServiceCharges: maybe(listOf(ServiceCharge)),
  /** After discounts, before tax. */
  amount: maybe(Decimal),
  taxAmount: maybe(Decimal),
  totalAmount: maybe(Decimal),
  payments: maybe(listOf(Payment)),
  paymentStatus: maybe(Schema.String)
})
export type Check = typeof Check.Type

const ItemApplication = Schema.Struct({
  selectionIdentifier: maybe(ForeignId),
  amount: maybe(Decimal),
  appliedDiscountIdentifier: maybe(ForeignId)
})

const Redemption = Schema.Struct({
  identifier: Schema.String,
  selectionGuid: maybe(ForeignId),
  appliedDiscountGuid: maybe(ForeignId),
  multiItemDiscountGuid: maybe(ForeignId),
  amount: maybe(Decimal),
  itemApplication: maybe(listOf(ItemApplication)),
  quantity: maybe(Decimal),
  name: maybe(Schema.String)
})
export type Redemption = typeof Redemption.Type

const isFilled = (text: string | undefined): text is string => text !== undefined && text.trim() !== ""

const Criteria = Schema.Struct({
  firstName: maybe(Schema.String),
  lastName: maybe(Schema.String),
  email: maybe(Schema.String),
  phone: maybe(Schema.String)
})

const Contact = Schema.Struct({ phone: maybe(Schema.String), email: maybe(Schema.String) })

/** Blank texts are none, so what a transaction demands is checked here. */
const demanding = <A extends object>(message: string, isMet: (value: A) => boolean) =>
  Schema.makeFilter((value: A) => isMet(value) || message)

const Typed = { toastTransactionType: maybe(Schema.String) }
const redemptions = maybe(listOf(Redemption))
const filledText = Schema.String.check(Schema.makeFilter((text) => isFilled(text) || "must not be blank"))

const bodies = {
  LOYALTY_SEARCH: Schema.Struct({
    ...Typed,
    searchTransactionInformation: Schema.Struct({
      searchCriteria: Criteria.check(
        demanding("must have firstName, lastName, email or phone", ({ email, firstName, lastName, phone }) =>
          [firstName, lastName, email, phone].some(isFilled)
        )
      )
    })
  }),
  LOYALTY_SIGNUP: Schema.Struct({
    ...Typed,
    signupTransactionInformation: Contact.check(
      demanding("must have either phone or email", ({ email, phone }) => isFilled(phone) !== isFilled(email))
    )
  }),
  LOYALTY_INQUIRE: Schema.Struct({
    ...Typed,
    checkTransactionInformation: Schema.Struct({ loyaltyIdentifier: filledText, check: Check, redemptions })
  }),
  LOYALTY_REDEEM: Schema.Struct({
    ...Typed,
    checkTransactionInformation: Schema.Struct({
      loyaltyIdentifier: filledText,
      check: Check,
      redemptions: listOf(Redemption)
    })
  }),
  LOYALTY_ACCRUE: Schema.Struct({
    ...Typed,
    checkTransactionInformation: Schema.Struct({
      /** Absent for a check without a guest. */
      loyaltyIdentifier: maybe(Schema.String),
      check: Check,
      redemptions
    })
  }),
  LOYALTY_REVERSE: Schema.Struct({
    ...Typed,
    reverseTransactionInformation: Schema.Struct({
      loyaltyIdentifier: maybe(Schema.String),
      transactionId: ForeignId,
      redemptions
    })
  }),
  LOYALTY_TRANSFER: Schema.Struct({
    ...Typed,
    transferTransactionInformation: Schema.Struct({
      fromLoyaltyIdentifier: maybe(Schema.String),
      toLoyaltyIdentifier: maybe(Schema.String)
    })
  })
}
type Bodies = { readonly [Type in TransactionType]: (typeof bodies)[Type]["Type"] }

/** A request that was read, by its type. */
export type Transaction = {
  readonly [Type in TransactionType]: { readonly type: Type; readonly body: Bodies[Type] }
}[TransactionType]

const decoders = Object.fromEntries(
  transactionTypes.map((type) => [type, lenientDecoder(bodies[type] as Schema.ConstraintDecoder<Bodies[typeof type]>)])
) as Readonly<Record<TransactionType, (input: unknown) => Result.Result<unknown, ReadonlyArray<BodyFault>>>>

/** A body that the till sent wrongly. */
export interface Unreadable {
  readonly status: TransactionStatus
  readonly faults: ReadonlyArray<BodyFault>
}

const isType = (type: unknown): type is TransactionType => transactionTypes.some((one) => one === type)

/** Reads a request. `header`: its `Toast-Transaction-Type`, which decides; a body that names another one is refused. */
export const read = (header: string | undefined, body: Uint8Array): Result.Result<Transaction, Unreadable> => {
  const unreadable = (status: TransactionStatus, faults: ReadonlyArray<BodyFault>) => Result.fail({ status, faults })
  if (!isType(header)) return unreadable("ERROR_INVALID_TOAST_TRANSACTION_TYPE", [])
  const value = objectOf(body)
  if (Result.isFailure(value)) return unreadable("ERROR_INVALID_INPUT_PROPERTIES", value.failure)
  const { toastTransactionType = header } = value.success as { readonly toastTransactionType?: unknown }
  if (toastTransactionType !== header)
    return unreadable("ERROR_INVALID_TOAST_TRANSACTION_TYPE", [
      { path: "/toastTransactionType", message: `must be ${header}, as the header is` }
    ])
  const decoded = decoders[header](value.success)
  return Result.isFailure(decoded)
    ? unreadable("ERROR_INVALID_INPUT_PROPERTIES", decoded.failure)
    : // The decoder is that of the header's type.
      Result.succeed({ type: header, body: decoded.success } as Transaction)
}

/** Most characters of an offer's name and description. */
export const maxOfferText = 200

const Money = Schema.Finite
const AnsweredItem = Schema.Struct({
  selectionIdentifier: maybe(Schema.String),
  amount: maybe(Money),
  appliedDiscountIdentifier: maybe(Schema.String)
})

const Offer = Schema.Struct({
  identifier: Schema.String,
  name: Schema.String,
  applicable: Schema.Boolean,
  selectionType: Schema.Literals(["CHECK", "ITEM", "MULTI_ITEM"]),
  itemApplication: maybe(Schema.Array(AnsweredItem)),
  amount: maybe(Money),
  quantity: maybe(Money),
  expiration: maybe(Schema.Array(Schema.Struct({ date: Schema.String, quantity: maybe(Money) }))),
  description: maybe(Schema.String),
  autoApply: maybe(Schema.Boolean)
})
export type Offer = typeof Offer.Type

const AnsweredRedemption = Schema.Struct({
  identifier: Schema.String,
  selectionGuid: maybe(Schema.String),
  appliedDiscountGuid: maybe(Schema.String),
  multiItemDiscountGuid: maybe(Schema.String),
  amount: maybe(Money),
  itemApplication: maybe(Schema.Array(AnsweredItem)),
  quantity: maybe(Money),
  name: maybe(Schema.String)
})

const AccountInfo = Schema.Struct({
  identifier: Schema.String,
  firstName: maybe(Schema.String),
  lastName: maybe(Schema.String),
  phone: maybe(Schema.String),
  email: maybe(Schema.String),
  pointsBalance: maybe(Schema.String)
})
export type AccountInfo = typeof AccountInfo.Type

const CheckResponse = Schema.Struct({
  accountInfo: maybe(AccountInfo),
  offers: maybe(Schema.Array(Offer)),
  rejectedRedemptions: maybe(
    Schema.Array(Schema.Struct({ redemption: AnsweredRedemption, message: maybe(Schema.String) }))
  ),
  appliedRedemptions: maybe(Schema.Array(AnsweredRedemption)),
  userMessage: maybe(Schema.String),
  /** Of INQUIRE alone; null: as many as there are. */
  redemptionLimit: maybe(Schema.Struct({ maxRedemptions: Schema.NullOr(Schema.Int) }))
})
export type CheckResponse = typeof CheckResponse.Type

/** An answer. Amounts are JSON numbers of the main unit (`numberOf` in `Decimals.ts`). */
export const Answer = Schema.Struct({
  transactionStatus: Schema.Literals(transactionStatuses),
  searchResponse: maybe(Schema.Struct({ accounts: Schema.Array(AccountInfo) })),
  signupResponse: maybe(Schema.Struct({ loyaltyIdentifier: Schema.String })),
  checkResponse: maybe(CheckResponse),
  transferResponse: maybe(Schema.Struct({ loyaltyIdentifier: Schema.String }))
})
export type Answer = typeof Answer.Type

const answeredAmount = <A extends { readonly amount?: string }>({ amount, ...rest }: A) => ({
  ...rest,
  ...(amount === undefined ? undefined : { amount: Number(amount) })
})

/** A redemption as the answer repeats it. */
export const answered = ({ itemApplication, quantity, ...rest }: Redemption): typeof AnsweredRedemption.Type => ({
  ...answeredAmount(rest),
  ...(itemApplication === undefined ? undefined : { itemApplication: itemApplication.map(answeredAmount) }),
  ...(quantity === undefined ? undefined : { quantity: Number(quantity) })
})

/** Names, types, enumerations and demands of Toast's Loyalty Integration API 1.1.0, as facts of its description. */
import * as fc from "fast-check"
import { check as checkValue, type WireSchema } from "../../../../src/client/Contract.ts"

type Properties = Readonly<Record<string, WireSchema>>

const text: WireSchema = { type: "string" }
const number: WireSchema = { type: "number" }
const flag: WireSchema = { type: "boolean" }
const one = (...values: ReadonlyArray<string>): WireSchema => ({ type: "string", enum: values })
const list = (items: WireSchema): WireSchema => ({ type: "array", items })
const object = (properties: Properties, required: ReadonlyArray<string> = []): WireSchema => ({
  type: "object",
  properties,
  required
})

/** Dates of ISO 8601, as Toast spells them. */
const date: WireSchema = { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d{4}$" }
const dates = ["2026-07-14T12:30:00.000+0000", "2026-07-14T08:30:15.123-0400"]
const businessDay: WireSchema = { type: "integer", minimum: 20200101, maximum: 20991231 }
const guid = text

const referenceFields: Properties = { guid, entityType: text }
const reference = object(referenceFields, ["guid", "entityType"])
const external = object({ ...referenceFields, externalId: text }, ["guid", "entityType"])
const menu = object({ ...referenceFields, multiLocationId: text, externalId: text }, ["guid", "entityType"])
const device = object({ id: text })

const taxRate = object(
  {
    ...referenceFields,
    taxRate: reference,
    name: text,
    rate: number,
    taxAmount: number,
    type: one("PERCENT", "FIXED", "NONE", "TABLE", "EXTERNAL")
  },
  ["guid", "entityType", "taxRate"]
)

const discount = object(
  {
    ...referenceFields,
    name: text,
    discountAmount: number,
    nonTaxDiscountAmount: number,
    discount: reference,
    triggers: list(object({ selection: external, quantity: number })),
    approver: external,
    processingState: one("PENDING_APPLIED", "APPLIED", "PENDING_VOID", "VOID"),
    loyaltyDetails: object({ vendor: one("INTEGRATION"), referenceId: text }, ["vendor", "referenceId"]),
    comboItems: list(external),
    appliedPromoCode: text
  },
  ["guid", "entityType"]
)

const selectionFields: Properties = {
  ...referenceFields,
  externalId: text,
  item: menu,
  itemGroup: menu,
  optionGroup: menu,
  preModifier: menu,
  quantity: number,
  unitOfMeasure: one("NONE", "LB", "OZ", "KG", "G"),
  selectionType: one("NONE", "OPEN_ITEM", "SPECIAL_REQUEST", "PORTION", "HOUSE_ACCOUNT_PAY_BALANCE"),
  salesCategory: menu,
  appliedDiscounts: list(discount),
  deferred: flag,
  preDiscountPrice: number,
  price: number,
  tax: number,
  voided: flag,
  voidDate: date,
  voidBusinessDate: businessDay,
  voidReason: external,
  displayName: text,
  createdDate: date,
  modifiedDate: date,
  fulfillmentStatus: one("NEW", "HOLD", "SENT", "READY"),
  taxInclusion: one("INCLUDED", "NOT_INCLUDED", "INHERITED"),
  appliedTaxes: list(taxRate),
  plu: text
}
const selectionDemands = ["guid", "entityType", "item", "quantity"]
/** Modifiers are selections; two levels of them are enough here. */
const selection = [1, 2].reduce(
  (inner) => object({ ...selectionFields, modifiers: list(inner) }, selectionDemands),
  object(selectionFields, selectionDemands)
)

const payment = object(
  {
    ...referenceFields,
    externalId: text,
    paidDate: date,
    paidBusinessDate: businessDay,
    type: one("CASH", "CREDIT", "GIFTCARD", "HOUSE_ACCOUNT", "REWARDCARD", "LEVELUP", "OTHER", "UNDETERMINED"),
    cardEntryMode: one("SWIPED", "KEYED", "ONLINE", "EMV_CHIP_SIGN", "CONTACTLESS"),
    amount: number,
    tipAmount: number,
    amountTendered: number,
    cardType: one("VISA", "MASTERCARD", "AMEX", "UNKNOWN"),
    last4Digits: text,
    originalProcessingFee: number,
    server: external,
    cashDrawer: external,
    refundStatus: one("NONE", "PARTIAL", "FULL"),
    refund: object({
      refundAmount: number,
      tipRefundAmount: number,
      refundDate: date,
      refundBusinessDate: businessDay
    }),
    paymentStatus: one("OPEN", "AUTHORIZED", "CAPTURED", "VOIDED", "DENIED"),
    voidInfo: object({ voidUser: external, voidApprover: external, voidDate: date, voidBusinessDate: businessDay }),
    houseAccount: external,
    otherPayment: external,
    createdDevice: device,
    lastModifiedDevice: device,
    mcaRepaymentAmount: number
  },
  ["guid", "entityType", "type", "amount", "tipAmount"]
)

const serviceCharge = object(
  {
    ...referenceFields,
    externalId: text,
    chargeAmount: number,
    serviceCharge: external,
    chargeType: one("FIXED", "PERCENT", "OPEN"),
    name: text,
    delivery: flag,
    gratuity: flag,
    taxable: flag,
    appliedTaxes: list(taxRate)
  },
  ["guid", "entityType", "serviceCharge"]
)

const check = object(
  {
    ...referenceFields,
    externalId: text,
    openedDate: date,
    closedDate: date,
    modifiedDate: date,
    deletedDate: date,
    deleted: flag,
    selections: list(selection),
    appliedLoyaltyInfo: object(
      {
        ...referenceFields,
        loyaltyIdentifier: text,
        vendor: one("INTEGRATION"),
        accrualFamilyGuid: text,
        accrualText: text
      },
      ["guid", "entityType", "loyaltyIdentifier", "vendor"]
    ),
    taxExempt: flag,
    displayNumber: text,
    appliedServiceCharges: list(serviceCharge),
    amount: number,
    taxAmount: number,
    totalAmount: number,
    payments: list(payment),
    tabName: text,
    paymentStatus: one("OPEN", "PAID", "CLOSED"),
    appliedDiscounts: list(discount),
    voided: flag,
    voidDate: date,
    voidBusinessDate: businessDay,
    paidDate: date,
    createdDevice: device,
    lastModifiedDevice: device
  },
  ["guid", "entityType", "selections"]
)

const itemApplication = object({ selectionIdentifier: guid, amount: number, appliedDiscountIdentifier: guid })
const redemption = object({
  identifier: text,
  selectionGuid: guid,
  appliedDiscountGuid: guid,
  multiItemDiscountGuid: guid,
  amount: number,
  itemApplication: list(itemApplication),
  quantity: number,
  name: { type: "string", maxLength: 200 }
})
const withIdentifier: WireSchema = { ...redemption, required: ["identifier"] }

const checkInformation = (...required: ReadonlyArray<string>) => ({
  checkTransactionInformation: object(
    { loyaltyIdentifier: text, orderGuid: guid, check, redemptions: list(withIdentifier) },
    ["check", ...required]
  )
})

const informations: Readonly<Record<string, Properties>> = {
  LOYALTY_SEARCH: {
    searchTransactionInformation: object(
      { searchCriteria: object({ firstName: text, lastName: text, email: text, phone: text }) },
      ["searchCriteria"]
    )
  },
  LOYALTY_SIGNUP: { signupTransactionInformation: object({ phone: text, email: text }) },
  LOYALTY_INQUIRE: checkInformation("loyaltyIdentifier"),
  LOYALTY_REDEEM: checkInformation("loyaltyIdentifier", "redemptions"),
  LOYALTY_ACCRUE: checkInformation(),
  LOYALTY_REVERSE: {
    reverseTransactionInformation: object(
      { loyaltyIdentifier: text, transactionId: guid, redemptions: list(withIdentifier) },
      ["transactionId"]
    )
  },
  LOYALTY_TRANSFER: {
    transferTransactionInformation: object({ fromLoyaltyIdentifier: text, toLoyaltyIdentifier: text })
  }
}

const bodyOf = (type: string, information: Properties): WireSchema =>
  object({ toastTransactionType: one(type), ...information }, Object.keys(information))

/** A request's body, by its type. */
const bodies: ReadonlyMap<string, WireSchema> = new Map(
  Object.entries(informations).map(([type, information]) => [type, bodyOf(type, information)])
)

/** The same with a telephone number: criteria demand one value, and a sign-up exactly one, which a schema does not say. */
const filled: WireSchema = { type: "string", enum: ["5550100100"] }
export const requests: ReadonlyMap<string, WireSchema> = new Map([
  ...bodies,
  [
    "LOYALTY_SEARCH",
    bodyOf("LOYALTY_SEARCH", {
      searchTransactionInformation: object(
        { searchCriteria: object({ firstName: text, lastName: text, email: text, phone: filled }, ["phone"]) },
        ["searchCriteria"]
      )
    })
  ],
  ["LOYALTY_SIGNUP", bodyOf("LOYALTY_SIGNUP", { signupTransactionInformation: object({ phone: filled }, ["phone"]) })]
])

/** Throws where a request is not as the description has it. Nulls stand for what is not there. */
export const checkRequest = (type: string, body: unknown): void => {
  const schema = bodies.get(type)
  if (schema === undefined) throw new Error(`${type} is no type`)
  checkValue(schema, JSON.parse(JSON.stringify(body, (_, value: unknown) => value ?? undefined)), type)
}

/** A random value of a schema; properties that are not demanded may be absent. */
export const arbitrary = (schema: WireSchema): fc.Arbitrary<unknown> => {
  switch (schema.type) {
    case "boolean":
      return fc.boolean()
    case "number":
      return fc.integer({ min: -100_000, max: 100_000 }).map((cents) => cents / 100)
    case "integer":
      return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 9 })
    case "array":
      return fc.array(arbitrary(schema.items!), { maxLength: 2 })
    case "string":
      return schema.enum === undefined
        ? schema.pattern !== undefined
          ? fc.constantFrom(...dates)
          : fc.string({ minLength: 1, maxLength: 20 }).map((letters) => `x${letters}`)
        : fc.constantFrom(...schema.enum)
    default: {
      const properties = schema.properties ?? {}
      const parts = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, arbitrary(part)]))
      return fc.record(parts, { requiredKeys: [...(schema.required ?? [])] })
    }
  }
}

const account = object({
  identifier: text,
  firstName: text,
  lastName: text,
  phone: text,
  email: text,
  pointsBalance: text
})

const offer = object({
  identifier: text,
  name: text,
  applicable: flag,
  selectionType: one("CHECK", "ITEM", "MULTI_ITEM"),
  itemApplication: list(object({ selectionIdentifier: text, amount: number, appliedDiscountIdentifier: text })),
  amount: number,
  quantity: number,
  expiration: list(
    object({
      date: { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:?\\d\\d)$" },
      quantity: number
    })
  ),
  description: { type: "string", maxLength: 200 },
  autoApply: flag
})

/** An answer. `maxRedemptions` may be null besides. */
const answer = object(
  {
    transactionStatus: one(
      "ACCEPT",
      "ERROR_INVALID_TOAST_TRANSACTION_TYPE",
      "ERROR_ACCOUNT_INVALID",
      "ERROR_INVALID_INPUT_PROPERTIES",
      "ERROR_TRANSACTION_DOES_NOT_EXIST",
      "ERROR_INVALID_TOKEN",
      "ERROR_TRANSACTION_CANNOT_BE_REVERSED",
      "ERROR_INVALID_RESTAURANT",
      "ERROR_INVALID_TRANSFER",
      "ERROR_ALREADY_REGISTERED"
    ),
    searchResponse: object({ accounts: list(account) }),
    signupResponse: object({ loyaltyIdentifier: text }, ["loyaltyIdentifier"]),
    checkResponse: object({
      accountInfo: account,
      offers: list(offer),
      rejectedRedemptions: list(object({ redemption, message: text }, ["redemption"])),
      appliedRedemptions: list(redemption),
      userMessage: text,
      redemptionLimit: object({ maxRedemptions: { type: "integer", minimum: 0 } }, ["maxRedemptions"])
    }),
    transferResponse: object({ loyaltyIdentifier: text })
  },
  ["transactionStatus"]
)

/** Throws where an answer is not as the description has it. `ERROR` is the guide's, for what the list has no status for. */
export const checkAnswer = (body: unknown): void => {
  const isOther = (body as { readonly transactionStatus?: unknown }).transactionStatus === "ERROR"
  checkValue(answer, isOther ? { ...(body as object), transactionStatus: "ACCEPT" } : body, "answer")
}

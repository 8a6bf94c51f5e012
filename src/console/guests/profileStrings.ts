/** Every English text of a guest's profile and consents. Apart from the others: the first page does not load them. */
import { texts } from "../shared/texts.ts"

export const profileStrings = texts("profile", {
  title: "Profile",
  everything: "Download everything",
  toPrint: "Everything, to print",
  fields: {
    display_name: "Name",
    email: "E-mail",
    phone: "Phone",
    birth_date: "Birth date",
    external_id: "External id"
  },
  phoneHint: (country: string | undefined) =>
    country === undefined
      ? "With the country code, such as +493012345678."
      : `Numbers of other countries than ${country} need their country code, such as +493012345678.`,
  externalHint: "The member's id in another of your systems, such as a shop.",
  attributes: "Attributes",
  joinedAt: "Joined at the restaurant",
  attribute: "the attribute",
  attributeName: "Attribute",
  valueOf: (name: string) => `Value of ${name}`,
  kindOf: (name: string) => `Kind of ${name}`,
  kinds: { text: "Text", number: "Number", flag: "Yes or no" },
  yes: "Yes",
  no: "No",
  otherHint: "This value has several parts and cannot be edited here.",
  addAttribute: "Add an attribute",
  entryFaults: { repeated: "This name is already used.", noNumber: "Enter a number." },
  nothing: "–",
  edit: "Edit the profile",
  save: "Save",
  changedMeanwhile: (field: string, value: string) =>
    `“${field}” was changed meanwhile, to “${value}”. Save again to replace it.`,
  changedLast: (at: string) => `Last changed on ${at}`,
  unchangeable: {
    suspended: "The profile of a suspended member cannot be changed. Activate the member first.",
    closed: "The profile of a closed member cannot be changed."
  },
  erase: "Erase personal data",
  erased: "All personal data of this member was erased.",
  eraseWarning: "This cannot be undone",
  closes: "The membership is closed. Points that are left can no longer be spent.",
  goes: "Deleted permanently",
  going: [
    "Name, e-mail, phone, birth date, external id and attributes",
    "All consents",
    "Cards and other identities: a new member can use them",
    "Details of recorded events",
    "Open reservations and rewards in the wallet"
  ],
  stays: "Kept",
  staying: [
    "The ledger with its points, under the member id",
    "The audit trail, with your reason",
    "Data already sent to other systems"
  ],
  typeToErase: (name: string) => `Type ${name} to confirm`
})

export const consentStrings = texts("consent", {
  title: "Consent",
  none: "No consent is recorded yet.",
  history: "All answers",
  when: "When",
  recordedBy: "Recorded by",
  itself: "the service",
  purpose: "Purpose",
  purposeHint: "The purpose of the contact, such as marketing or analytics.",
  channel: "Channel",
  allChannels: "All channels",
  channels: { email: "E-mail", sms: "SMS", push: "Push messages" },
  answer: "Answer",
  agrees: "Agrees",
  refuses: "Refuses",
  source: "Source",
  sourceHint: "Where the guest answered, such as “at the counter”.",
  noSource: "unknown source",
  guestPage: (version: string) => `the guests' page, text ${version}`,
  console: "asked at the restaurant",
  enter: "Record an answer",
  before: (member: string) => `Of ${member}, before the merge`,
  onlyWithdraw: "The member is suspended: consent can only be withdrawn.",
  grant: "Grant",
  withdraw: "Withdraw",
  of: (purpose: string, channel: string) => `${purpose}, ${channel}`,
  willGrant: (of: string) => `From now on the guest agrees: ${of}.`,
  willWithdraw: (of: string) => `From now on the guest no longer agrees: ${of}.`
})

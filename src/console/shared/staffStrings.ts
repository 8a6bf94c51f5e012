/** Every English text about people: signing in, invitations, roles, accounts. Apart from the others: the first page does not load them. */
import type { Role } from "../../contract/Roles.ts"
import { texts } from "./texts.ts"

const roles: Readonly<Record<Role, string>> = {
  owner: "Owner",
  manager: "Manager",
  marketer: "Marketer",
  support: "Support",
  analyst: "Analyst",
  developer: "Developer",
  finance: "Finance",
  franchisee: "Franchisee"
}

const roleDoes: Readonly<Record<Role, string>> = {
  owner: "Everything, including people and their roles.",
  manager: "Runs the business: guests, points, campaigns, the programme. Sees figures, people and connectors.",
  marketer:
    "Makes segments and campaigns. Sees guests, the programme, and figures such as revenue. Starts nothing that gives points.",
  support:
    "Helps guests: profiles, cards, points and rewards. Sees campaigns, the programme, and figures such as revenue.",
  analyst: "Sees campaigns, the programme, and figures such as revenue. Sees no guest's data.",
  developer:
    "Tokens, connectors and the audit log. Sees the programme and figures such as revenue, but no guest's data.",
  finance:
    "Sees what points are worth and closes months. Sees the programme and figures such as revenue, but no guest's data.",
  franchisee:
    "Sees figures of her restaurants, and guests who come with a card or have ordered there. Gives points there."
}

export const staffStrings = texts("staff", {
  roles,
  roleDoes,
  rolesTitle: "What roles may do",
  does: "What it may do",
  gives: (limits: string) => `May give at most ${limits}.`,
  givesAll: "May give points and rewards without a limit of the role.",
  role: "Role",
  name: "Name",
  email: "E-mail",
  emailHint: "Names the person. The invitation goes there by e-mail if the service has a mail server.",
  programs: "Programmes",
  programsHint: "Leave empty for all programmes.",
  allPrograms: "all",
  restaurants: {
    title: "Limited to restaurants",
    hint: "Leave empty for all restaurants. A restaurant must be within each limit.",
    location_ids: "Restaurants",
    franchisee_ids: "Franchisees",
    brand_ids: "Brands",
    limitedTo: (words: string) => `only ${words}`,
    does: "Of this role, what is at the restaurants. Nothing of the whole business: no lists of guests, no closing of months.",
    own: (words: string) => `Limited to restaurants: ${words}`
  },
  never: "never",

  provider: {
    title: "Signing in",
    again: "To the sign-in"
  },
  device: {
    browser: "Browser",
    on: (browser: string, system: string) => `${browser} on ${system}`
  },

  passkey: {
    unsupported: "This browser has no passkeys. Use another browser.",
    insecure: (host: string) =>
      `Browsers offer passkeys only over https, or at localhost. This page is at ${host} without https.`,
    wrongHost: (here: string, host: string) =>
      `Passkeys of this service do not work at ${here}. Open the console at ${host} instead.`,
    notUsed:
      "No passkey was used: you cancelled, the time was over, or this device has none for this service. Try again. If you have lost yours, ask an owner to invite you again.",
    notMade: "No passkey was made: you cancelled, or the time was over. Try again.",
    known: "This device has a passkey of yours already. Use it to sign in, or make one on another device.",
    unable:
      "This device cannot keep such a passkey. Set up a screen lock (PIN, fingerprint or face), or use a phone or a security key.",
    failed: "The browser could not use a passkey. Try again, or use another browser or device."
  },

  invitation: {
    title: (business: string | undefined) => (business === undefined ? "Welcome" : `Welcome to ${business}`),
    hint: "You are invited to work here. You sign in with a passkey: your fingerprint, your face, or your device's PIN. There is no password.",
    who: "You",
    until: "The invitation ends",
    /** Of the passkey. */
    name: "A name for this passkey",
    nameHint: "So that you recognise it later, such as the device that keeps it.",
    create: "Create a passkey",
    otherSession: (name: string) => `${name} is signed in here, and is signed out by this.`,
    noSecret: "This address is not complete",
    noSecretHint:
      "The address of an invitation has a long part behind a #. Open it again from the message that you got. If you have made your passkey, sign in.",
    used: "This invitation does not work any more",
    usedHint:
      "It was used already, a newer one replaced it, or it was withdrawn. If you have made your passkey, sign in. If not, ask who invited you for a new invitation.",
    ended: "This invitation has ended",
    endedHint: "Invitations work for 7 days. Ask who invited you for a new one.",
    refused: "This invitation cannot be used",
    refusedHint: "Your access is disabled. Ask an owner to enable it and to invite you again.",
    toSignIn: "Sign in"
  },

  people: {
    title: "People",
    hint: "Who works with this console. People sign in with a passkey, do what their role allows, and are named in all that they do.",
    none: "Nobody is invited yet",
    noneHint: "Keys are for machines. Invite people, so that each signs in as themselves.",
    status: "Status",
    statuses: { invited: "Invited", active: "Active", disabled: "Disabled" },
    lastSeen: "Last seen",
    you: "you",
    invitedUntil: (time: string) => `Invitation until ${time}`,
    invitationOver: "Invitation ended",
    roleGone: (time: string) => `Without a role at the company's sign-in since ${time}`,
    passkeys: (n: number) => (n === 1 ? "1 passkey" : `${n} passkeys`),
    invite: "Invite somebody",
    inviteEffect:
      "You get an address to send to this person. It is used to make a passkey, and works for 7 days, once.",
    inviteSubmit: "Invite",
    invitedTitle: (name: string) => `Invitation for ${name}`,
    invitedHint: (name: string) =>
      `Send this to ${name} yourself: no mail is sent. It is shown only now. It works for 7 days, once, and whoever uses it signs in as ${name}. So use a way that nobody else reads.`,
    mailedHint: (name: string, email: string) =>
      `The invitation goes to ${email} by e-mail. If it does not arrive, send it to ${name} yourself, in a way that nobody else reads: it is shown only now, works for 7 days, once, and whoever uses it signs in as ${name}.`,
    invitedLost: "The invitation was made, but the response with its address was lost. Invite this person again.",
    address: "Address",
    copyAddress: "Copy the address",
    message: "Text to send",
    copyMessage: "Copy the text",
    copied: "Copied",
    messageText: (name: string, business: string, role: string, url: string) =>
      `Hello ${name},\n\nyou are invited to ${business} as ${role}. Open this address within 7 days, on the device that you will work with, and create a passkey there:\n\n${url}\n\nThe address works once, and only for you: please do not pass it on. There is no password. Afterwards you sign in with your fingerprint, your face or your device's PIN.`,
    changeRole: "Change role",
    /** Accessible names of the actions. */
    of: (action: string, name: string) => `${action}: ${name}`,
    roleEffect: (name: string) =>
      `${name} is signed out within a second. After signing in again, ${name} may do what the new role allows.`,
    invitedRoleEffect: (name: string) =>
      `The invitation goes on working. With it, ${name} may do what the new role allows.`,
    removePasskeys: "Remove passkeys",
    removePasskeysEffect: (name: string) =>
      `For devices that are lost or in other hands: every passkey of ${name} ends, and ${name} is signed out on every device within a second. To sign in again, ${name} needs a new invitation.`,
    again: "Invite again",
    againEffect: (name: string) =>
      `Makes a new address with which ${name} makes a passkey, such as after losing a device. An earlier invitation ends. Passkeys that exist go on working.`,
    disable: "Disable",
    disableEffect: (name: string) =>
      `${name} is signed out within a second and cannot sign in any more. An open invitation ends. All that ${name} did stays in the records.`,
    enable: "Enable",
    enableEffect: (name: string, hasPasskeys: boolean) =>
      hasPasskeys
        ? `${name} can sign in again, with the same passkeys and role.`
        : `${name} can be invited again: no passkey was made yet.`,
    endSessions: "End sessions",
    endSessionsEffect: (name: string) =>
      `${name} is signed out on every device within a second, and can sign in again.`,
    ended: (n: number, name: string) =>
      n === 0 ? `${name} was not signed in.` : `${name} was signed out: ${n === 1 ? "1 session" : `${n} sessions`}.`,
    close: "Close the notice",
    lastOwner: "The only active owner stays an owner."
  },

  limits: {
    title: "Limits",
    hint: "What people may give, take away and move by their roles, besides the programme's own limits. Keys and tokens have none.",
    names: {
      points_per_action: "Points at once",
      points_per_day: "Points a day",
      rewards_per_day: "Rewards a day",
      orders_moved_per_day: "Orders moved a day"
    },
    none: "no limit",
    change: "Change limits",
    effect: (role: string) =>
      `Everybody with the role ${role} has these limits at once. What was given today counts already. An empty field is no limit.`,
    ofPersonEffect: (name: string, role: string) =>
      `${name} has these limits at once, and nobody else. Of each and that of the role ${role} the lesser holds. What was given today counts already. An empty field is the role's limit.`,
    ofRole: "the role's limit",
    ofPerson: (limits: string) => `At most ${limits}`,
    own: "You may give or take",
    ownOf: {
      points_per_action: (n: string) => `${n} points at once`,
      points_per_day: (n: string) => `${n} points a day`,
      rewards_per_day: (n: string) => `${n} rewards a day`,
      orders_moved_per_day: (n: string) => `${n} moved orders a day`
    },
    left: (limit: string, left: string) => `${limit} (${left} left)`
  },

  account: {
    title: "My account",
    who: "You",
    of: (action: string, name: string) => `${action}: ${name}`,
    keyOnly: "This session was opened with a key",
    keyOnlyHint: "Only people have an account. Sign out, and sign in with your passkey.",
    passkeys: "Passkeys",
    passkeysHint:
      "Each signs you in. Have one on every device that you work with, or a second one in case you lose the first.",
    made: "Made",
    lastUsed: "Last used",
    add: "Add a passkey",
    addEffect: "Your browser asks you to make a passkey: on this device, on a phone, or on a security key.",
    rename: "Rename",
    remove: "Remove",
    removeEffect: (name: string) =>
      `“${name}” does not sign you in any more. Sessions that it opened end within a second, this one too if it did.`,
    lastPasskey: "Your last one stays.",
    sessions: "Where you are signed in",
    device: "Device",
    address: "Address",
    began: "Signed in",
    lastSeen: "Last seen",
    isThis: "this one",
    end: "Sign out there",
    endEffect: (device: string) => `${device} is signed out within a second. Input that is not saved there is lost.`,
    endOthers: "Sign out everywhere else",
    endOthersEffect: "All sessions but this one end within a second. Input that is not saved there is lost."
  },

  look: {
    title: "Your own look",
    change: "Change name and colour",
    name: "Name",
    nameHint: "Everybody sees it at the sign-in, in the head of each page and in invitations. Empty: Lotbook.",
    colour: "Colour",
    colourHint: "Such as #1a7f5a: a band above each page. Empty: none.",
    none: "none",
    noLogo: "There is no logo. Lotbook's mark is shown.",
    logoHint:
      "PNG, at most 200 kB and 2,048 pixels a side. Guests see it too, on pages of programmes without a logo of their own.",
    removeEffect: "Everybody sees Lotbook's mark, and guests the name alone where the programme has no logo."
  },

  setUp: {
    title: "Set up your account",
    hint: "You are signed in with the admin key, which is meant for this first start. Now make an account of your own: you become the first owner, sign in with a passkey from then on, and can invite others.",
    submit: "Continue to the passkey",
    unfinished: (name: string) =>
      `The account of ${name} is not finished: it has no passkey yet. Continue to the passkey below.`,
    emergency:
      "You are signed in with the admin key, which is for emergencies: it may do everything, and the audit log cannot say who you are. For daily work, sign in with your passkey.",
    lost: "The account was made, but the answer was lost. Press the button again."
  }
})

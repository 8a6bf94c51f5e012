/** Every English text of the guests' page. Another language is a file beside it with the same keys. */

const count = (n: number, one: string, more: string): string => (n === 1 ? one : more)

export const en = {
  language: "English",
  languageLabel: "Language",
  none: { title: "There is no page here", text: "Check the address, or ask the restaurant." },
  loading: "One moment …",
  retry: "Try again",
  cancel: "Cancel",
  optional: "optional",
  offline: "No network: this is your card as it was last shown.",
  offlineNone: "No network. Once you have opened your card here, it is shown without network too.",
  cardAsOf: (date: string) => `As of ${date}`,
  links: "More",
  tabs: { label: "Pages", home: "Home", card: "Card", claim: "Receipt", history: "History", account: "Account" },
  units: {
    points: (n: number, shown: string) => `${shown} ${count(n, "point", "points")}`,
    visits: (n: number, shown: string) => `${shown} ${count(n, "visit", "visits")}`,
    stamps: (n: number, shown: string) => `${shown} ${count(n, "stamp", "stamps")}`,
    credits: (n: number, shown: string) => `${shown} ${count(n, "credit", "credits")}`
  },
  signIn: {
    title: "Sign in",
    text: "We send you a code of six digits. There is no password.",
    email: "E-mail",
    phone: "Mobile number",
    phoneForm: "With country code",
    phoneHint: (country: string, example: string) => `A number of this country: ${country} (${example})`,
    byPhone: "Use my mobile number",
    byEmail: "Use my e-mail",
    send: "Send me a code",
    none: "Ask the staff for a link to sign in. They send it to you.",
    claim: "Your receipt is kept: once you are signed in, you can get its points.",
    join: "I am new here",
    joinHint: "Join, and collect from your next visit."
  },
  code: {
    title: "Enter the code",
    sent: (to: string) =>
      `If ${to} is right, a code of six digits is on its way. It is good for ten minutes. At most three are sent in an hour.`,
    sentAgain: (to: string) =>
      `If ${to} is right, another code is on its way. There are at most three an hour; each of them works for ten minutes.`,
    label: "Code of six digits",
    go: "Go on",
    again: "Send another code",
    other: "Use another address"
  },
  choose: {
    title: "Who are you?",
    text: "Several guests have this address.",
    guest: (name: string, date: string) => `${name}, since ${date}`,
    unnamed: "Guest",
    card: (ending: string) => `Card ending in ${ending}`
  },
  link: {
    title: "Welcome back",
    text: "Press the button to sign in. The link works once.",
    go: "Sign in",
    other: "Sign in another way"
  },
  unsubscribe: {
    title: "No more news?",
    text: (name: string) =>
      `Press the button, and ${name} sends you no more news by e-mail. Codes to sign in still come.`,
    go: "Unsubscribe",
    doneTitle: "Unsubscribed",
    done: (name: string) => `${name} sends you no more news by e-mail. You can change that in your account.`,
    wrong: "This link is not whole. Open it from the mail again.",
    page: "To my points"
  },
  join: {
    title: (name: string) => `Join ${name}`,
    text: "Collect points with every visit. All we need is a way to reach you.",
    rest: "You are new here. Nothing but this, and you are in.",
    name: "Name",
    birthday: "Birthday",
    birthdayHint: "For a treat on the day",
    consents: "May we write to you?",
    consentsHint: "You can change this at any time. It is not needed to collect.",
    go: "Join",
    hadAccount:
      "You have an account here already, and are signed in. What you entered has filled what was empty. What you had decided, also about news and offers, stays: check it under Account.",
    signIn: "I have joined already"
  },
  consent: (purpose: string, channel: string | undefined): string => {
    const way =
      channel === "email"
        ? " by e-mail"
        : channel === "sms"
          ? " by text message"
          : channel === "push"
            ? " in the app"
            : ""
    if (purpose === "marketing") return `News and offers${way}`
    if (purpose === "analytics") return `My visits may be analysed${way}`
    return `${purpose}${way}`
  },
  home: {
    greeting: (name: string) => `Hello, ${name}`,
    welcome: "Hello",
    expires: (points: string, date: string) => `${points} expire on ${date}`,
    expiresLater: (points: string) => `${points} expire later`,
    tier: (name: string) => `You are ${name}`,
    nextTier: (points: string, name: string) => `${points} more to ${name}`,
    promotions: "Today",
    until: (date: string) => `until ${date}`,
    wallet: "Ready to use",
    walletHint: "Show it at the till.",
    show: "Show at the till",
    hide: "Close",
    rewards: "Rewards",
    noRewards: "There are no rewards yet.",
    missing: (points: string) => `${points} to go`,
    take: "Get it",
    from: (date: string) => `from ${date}`,
    why: {
      below_minimum: "Collect a little more before you spend.",
      at_the_till: "Ask for it at the till."
    } as Readonly<Record<string, string>>,
    confirm: (reward: string, points: string) => `Get ${reward} for ${points}?`,
    yes: "Yes, get it",
    taken: (reward: string) => `${reward} is ready to use.`,
    news: "For you",
    challenges: "Challenges",
    progress: (done: string, target: string) => `${done} of ${target}`,
    stays: "You were leaving: that is undone, and you stay.",
    leaving: (date: string) => `You are leaving: all your data is erased on ${date}. To stay, sign out and in again.`
  },
  card: {
    title: "Your card",
    text: "Show it at the till before you pay.",
    none: "You have no card yet. Ask the staff.",
    picture: "Your card as a QR code"
  },
  claim: {
    title: "Points of a receipt",
    again: "These points are yours already.",
    text: "Forgot to show your card? The code is on your receipt.",
    label: "Code of the receipt",
    go: "Get the points",
    done: (points: string) => `Done: ${points} are yours.`,
    nothing: "This receipt gives no points."
  },
  history: {
    title: "History",
    none: "Nothing yet. It begins with your next visit.",
    more: "Show earlier",
    archived: "What is older is kept elsewhere. Ask the staff for it.",
    kinds: {
      earned: "Visit",
      refunded: "Refund",
      corrected: "Correction",
      spent: "Reward",
      given_back: "Reward given back",
      expired: "Expired",
      gift: "Gift",
      card_filled: "Stamp card filled",
      merged: "Cards put together",
      moved: "Carried over",
      other: "Change"
    } as Readonly<Record<string, string>>
  },
  account: {
    title: "Account",
    you: "About you",
    save: "Save",
    saved: "Saved.",
    email: "E-mail",
    noEmail: "none yet",
    changeEmail: "Change e-mail",
    newEmail: "New e-mail",
    emailChanged: (email: string) => `Your e-mail is ${email} now.`,
    devices: "Where you are signed in",
    thisDevice: "this device",
    since: (date: string) => `since ${date}`,
    endDevice: (device: string) => `Sign out ${device}`,
    deviceEnded: "Signed out there.",
    signOut: "Sign out",
    data: "Your data",
    download: "Download all my data",
    print: "Show all my data, to print",
    open: "Open the page",
    downloaded: "The file is in your downloads.",
    leave: "Leave",
    leaveTitle: "Leave for good?",
    leaveText: "In seven days your points, rewards and all data are erased. Sign in before then, and you stay.",
    leaveGo: "Yes, leave",
    left: (date: string) => `You have left. All is erased on ${date}, unless you sign in before then.`,
    fresh: "To be sure that it is you, enter the code that we have just sent to you."
  },
  errors: {
    network: "No answer. Check your network, and try again.",
    busy: "A lot is going on right now. Try again in a moment.",
    often: "That was often. Wait a while, and try again.",
    code: "That code is not right, or no longer good.",
    codes: "Five codes were wrong, so this one works no more. Send yourself another.",
    link: "This link was used already, or is older than 15 minutes. Ask for another one.",
    signedOut: "You are signed out. Sign in again.",
    invalid: "Something is not right yet. Check what you typed.",
    fields: {
      email: "The e-mail address is not right: write one such as ada@example.com.",
      name: "The name is not right: it has at most 200 characters.",
      birthday: "The birthday is not right: it is a day that has been.",
      birth_date: "The birthday is not right: it is a day that has been."
    },
    phone: (example: string | undefined) =>
      `Write a mobile number${example === undefined ? " with country code" : `, such as ${example}`}.`,
    phoneCountry: (country: string) =>
      `Codes go to numbers of this country alone: ${country}. Check the number, or use another way.`,
    phoneFull: "No code can be sent to telephones now. Use another way, or try again later.",
    digits: "Write the six digits.",
    claim: "No receipt has this code. Check each character.",
    claimOff: "Receipts cannot be claimed here.",
    claimTaken: "The points of this receipt are somebody else's.",
    claimMany: "That is all for today. Come back tomorrow with this receipt.",
    notNow: "That is not possible now.",
    member: "Your membership is on hold. Ask the staff.",
    unknown: "That did not work. Try again, or ask the staff."
  }
}
export type Words = typeof en

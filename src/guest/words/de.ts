/** Every German text of the guests' page. */
import type { Words } from "./en.ts"

const count = (n: number, one: string, more: string): string => (n === 1 ? one : more)

export const de: Words = {
  language: "Deutsch",
  languageLabel: "Sprache",
  none: { title: "Hier ist keine Seite", text: "Prüfe die Adresse, oder frag im Restaurant." },
  loading: "Einen Moment …",
  retry: "Noch einmal",
  cancel: "Abbrechen",
  optional: "freiwillig",
  offline: "Kein Netz: Das ist deine Karte, wie sie zuletzt zu sehen war.",
  offlineNone: "Kein Netz. Wenn du deine Karte hier einmal geöffnet hast, ist sie auch ohne Netz zu sehen.",
  cardAsOf: (date) => `Stand ${date}`,
  links: "Mehr",
  tabs: { label: "Seiten", home: "Start", card: "Karte", claim: "Bon", history: "Verlauf", account: "Konto" },
  units: {
    points: (n, shown) => `${shown} ${count(n, "Punkt", "Punkte")}`,
    visits: (n, shown) => `${shown} ${count(n, "Besuch", "Besuche")}`,
    stamps: (_, shown) => `${shown} Stempel`,
    credits: (_, shown) => `${shown} Guthaben`
  },
  signIn: {
    title: "Anmelden",
    text: "Wir schicken dir einen Code mit sechs Ziffern. Ein Passwort gibt es nicht.",
    email: "E-Mail",
    phone: "Handynummer",
    phoneForm: "Mit Ländervorwahl",
    phoneHint: (country, example) => `Eine Nummer dieses Landes: ${country} (${example})`,
    byPhone: "Mit der Handynummer",
    byEmail: "Mit der E-Mail",
    send: "Code schicken",
    none: "Frag das Personal nach einem Link zum Anmelden. Du bekommst ihn geschickt.",
    claim: "Dein Bon ist gemerkt: Sobald du angemeldet bist, kannst du seine Punkte holen.",
    join: "Ich bin neu hier",
    joinHint: "Mach mit, und sammle ab dem nächsten Besuch."
  },
  code: {
    title: "Code eingeben",
    sent: (to) =>
      `Wenn ${to} stimmt, ist ein Code mit sechs Ziffern unterwegs. Er gilt zehn Minuten. Es gibt höchstens drei in der Stunde.`,
    sentAgain: (to) =>
      `Wenn ${to} stimmt, ist noch ein Code unterwegs. Es gibt höchstens drei in der Stunde; jeder gilt zehn Minuten.`,
    label: "Code mit sechs Ziffern",
    go: "Weiter",
    again: "Noch einen Code schicken",
    other: "Andere Adresse"
  },
  choose: {
    title: "Wer bist du?",
    text: "Mehrere Gäste haben diese Adresse.",
    guest: (name, date) => `${name}, seit ${date}`,
    unnamed: "Gast",
    card: (ending) => `Karte, die auf ${ending} endet`
  },
  link: {
    title: "Willkommen zurück",
    text: "Melde dich mit dem Knopf an. Der Link gilt einmal.",
    go: "Anmelden",
    other: "Anders anmelden"
  },
  unsubscribe: {
    title: "Keine Neuigkeiten mehr?",
    text: (name) =>
      `Mit dem Knopf schickt dir ${name} keine Neuigkeiten mehr per E-Mail. Codes zum Anmelden kommen weiterhin.`,
    go: "Abbestellen",
    doneTitle: "Abbestellt",
    done: (name) => `${name} schickt dir keine Neuigkeiten mehr per E-Mail. In deinem Konto kannst du das ändern.`,
    wrong: "Der Link ist nicht vollständig. Öffne ihn noch einmal aus der Mail.",
    page: "Zu meinen Punkten"
  },
  join: {
    title: (name) => `Mitmachen bei ${name}`,
    text: "Sammle Punkte bei jedem Besuch. Wir müssen dich nur erreichen können.",
    rest: "Du bist neu hier. Nur noch das, und du bist dabei.",
    name: "Name",
    birthday: "Geburtstag",
    birthdayHint: "Für eine Überraschung an dem Tag",
    consents: "Dürfen wir dir schreiben?",
    consentsHint: "Das kannst du jederzeit ändern. Zum Sammeln ist es nicht nötig.",
    go: "Mitmachen",
    hadAccount:
      "Du machst hier schon mit und bist jetzt angemeldet. Was du eingegeben hast, ergänzt, was leer war. Was du entschieden hattest, auch über Neues und Angebote, bleibt: Schau unter Konto nach.",
    signIn: "Ich mache schon mit"
  },
  consent: (purpose, channel) => {
    const way =
      channel === "email" ? " per E-Mail" : channel === "sms" ? " per SMS" : channel === "push" ? " in der App" : ""
    if (purpose === "marketing") return `Neues und Angebote${way}`
    if (purpose === "analytics") return `Meine Besuche dürfen ausgewertet werden${way}`
    return `${purpose}${way}`
  },
  home: {
    greeting: (name) => `Hallo, ${name}`,
    welcome: "Hallo",
    expires: (points, date) => `${points} verfallen am ${date}`,
    expiresLater: (points) => `${points} verfallen später`,
    tier: (name) => `Du bist ${name}`,
    nextTier: (points, name) => `Noch ${points} bis ${name}`,
    promotions: "Heute",
    until: (date) => `bis ${date}`,
    wallet: "Zum Einlösen bereit",
    walletHint: "Zeig es an der Kasse.",
    show: "An der Kasse zeigen",
    hide: "Schließen",
    rewards: "Prämien",
    noRewards: "Es gibt noch keine Prämien.",
    missing: (points) => `Noch ${points}`,
    take: "Holen",
    from: (date) => `ab ${date}`,
    why: {
      below_minimum: "Sammle noch etwas, bevor du einlöst.",
      at_the_till: "Frag an der Kasse danach."
    },
    confirm: (reward, points) => `${reward} für ${points} holen?`,
    yes: "Ja, holen",
    taken: (reward) => `${reward} liegt bereit.`,
    news: "Für dich",
    challenges: "Aufgaben",
    progress: (done, target) => `${done} von ${target}`,
    stays: "Du wolltest gehen: Das ist rückgängig gemacht, du bleibst dabei.",
    leaving: (date) =>
      `Du gehst: Am ${date} werden alle deine Daten gelöscht. Melde dich ab und wieder an, wenn du bleiben willst.`
  },
  card: {
    title: "Deine Karte",
    text: "Zeig sie an der Kasse, bevor du zahlst.",
    none: "Du hast noch keine Karte. Frag das Personal.",
    picture: "Deine Karte als QR-Code"
  },
  claim: {
    again: "Diese Punkte gehören dir schon.",
    title: "Punkte eines Bons",
    text: "Karte vergessen? Der Code steht auf deinem Bon.",
    label: "Code des Bons",
    go: "Punkte holen",
    done: (points) => `Geschafft: ${points} gehören dir.`,
    nothing: "Für diesen Bon gibt es keine Punkte."
  },
  history: {
    title: "Verlauf",
    none: "Noch nichts. Er beginnt mit deinem nächsten Besuch.",
    more: "Früheres zeigen",
    archived: "Älteres liegt anderswo. Frag das Personal danach.",
    kinds: {
      earned: "Besuch",
      refunded: "Erstattung",
      corrected: "Korrektur",
      spent: "Prämie",
      given_back: "Prämie zurückgegeben",
      expired: "Verfallen",
      gift: "Geschenk",
      card_filled: "Stempelkarte voll",
      merged: "Karten zusammengelegt",
      moved: "Übertragen",
      other: "Änderung"
    }
  },
  account: {
    title: "Konto",
    you: "Über dich",
    save: "Speichern",
    saved: "Gespeichert.",
    email: "E-Mail",
    noEmail: "noch keine",
    changeEmail: "E-Mail ändern",
    newEmail: "Neue E-Mail",
    emailChanged: (email) => `Deine E-Mail ist jetzt ${email}.`,
    devices: "Wo du angemeldet bist",
    thisDevice: "dieses Gerät",
    since: (date) => `seit ${date}`,
    endDevice: (device) => `${device} abmelden`,
    deviceEnded: "Dort abgemeldet.",
    signOut: "Abmelden",
    data: "Deine Daten",
    download: "Alle meine Daten herunterladen",
    print: "Alle meine Daten zeigen und drucken",
    open: "Seite öffnen",
    downloaded: "Die Datei liegt bei deinen Downloads.",
    leave: "Austreten",
    leaveTitle: "Endgültig austreten?",
    leaveText:
      "In sieben Tagen werden deine Punkte, Prämien und alle Daten gelöscht. Meldest du dich vorher an, bleibst du dabei.",
    leaveGo: "Ja, austreten",
    left: (date) => `Du bist ausgetreten. Am ${date} wird alles gelöscht, wenn du dich vorher nicht anmeldest.`,
    fresh: "Damit sicher ist, dass du es bist: Gib den Code ein, den wir dir gerade geschickt haben."
  },
  errors: {
    network: "Keine Antwort. Prüfe dein Netz, und versuch es noch einmal.",
    busy: "Gerade ist viel los. Versuch es gleich noch einmal.",
    often: "Das war oft. Warte etwas, und versuch es noch einmal.",
    code: "Der Code stimmt nicht, oder er gilt nicht mehr.",
    codes: "Fünf Codes waren falsch, darum gilt dieser nicht mehr. Schick dir einen neuen.",
    link: "Der Link ist benutzt oder älter als 15 Minuten. Frag nach einem neuen.",
    signedOut: "Du bist abgemeldet. Melde dich wieder an.",
    invalid: "Etwas stimmt noch nicht. Prüfe, was du geschrieben hast.",
    fields: {
      email: "Die E-Mail-Adresse stimmt nicht: Schreib eine wie ada@example.com.",
      name: "Der Name stimmt nicht: Er hat höchstens 200 Zeichen.",
      birthday: "Der Geburtstag stimmt nicht: Es ist ein Tag, der schon war.",
      birth_date: "Der Geburtstag stimmt nicht: Es ist ein Tag, der schon war."
    },
    phone: (example) =>
      `Schreib eine Handynummer${example === undefined ? " mit Ländervorwahl" : `, etwa ${example}`}.`,
    phoneCountry: (country) =>
      `Codes gehen nur an Nummern dieses Landes: ${country}. Prüfe die Nummer, oder nimm einen anderen Weg.`,
    phoneFull: "Gerade gehen keine Codes an Telefone. Nimm einen anderen Weg, oder versuch es später.",
    digits: "Schreib die sechs Ziffern.",
    claim: "Kein Bon hat diesen Code. Prüfe jedes Zeichen.",
    claimOff: "Bons lassen sich hier nicht einlösen.",
    claimTaken: "Die Punkte dieses Bons gehören jemand anderem.",
    claimMany: "Das war alles für heute. Komm morgen mit diesem Bon wieder.",
    notNow: "Das geht gerade nicht.",
    member: "Deine Mitgliedschaft ruht. Frag das Personal.",
    unknown: "Das hat nicht geklappt. Versuch es noch einmal, oder frag das Personal."
  }
}

/** The German texts of the wizards. */
import type { Translation } from "../../app/Translation.ts"

const tried = (count: number, shown: string, all: string | undefined): string =>
  all !== undefined
    ? `${shown} von ${all} Bestellungen der letzten 30 Tage`
    : count === 1
      ? "der einen Bestellung der letzten 30 Tage"
      : `den ${shown} Bestellungen der letzten 30 Tage`

const quoted = (name: string | undefined): string => `„${name}“`

export const wizard: Translation["wizard"] = {
  programme: "Mit einer Idee beginnen",
  programmeHint: "Je drei Fragen. Die Antwort kommt in die Formulare unten, wo Sie sie ansehen, bevor sie gilt.",
  campaigns: "Mit einer Idee beginnen",
  campaignsHint: "Je drei Fragen. Die Antwort ist der Entwurf einer Kampagne, der noch nichts gibt.",
  toDraft: "In die Formulare",
  drafted: "Es steht in den Formularen. Sehen Sie die Änderungen an: Noch gilt nichts davon.",
  toCampaign: "Entwurf anlegen",
  made: "Der Entwurf ist angelegt. Er gibt nichts, bis er aktiviert ist.",
  result: "Was geschehen wird",
  cost: "Was es kostet",
  toAnswer: "Beantworten Sie zuerst die drei Fragen.",
  needsReward: "Zuerst braucht es eine Prämie: Legen Sie unter Prämien eine an.",
  choose: "Auswählen …",
  from: "Von",
  until: "Bis",
  month: (amount, ...by) => `Etwa ${amount} im Monat, nach ${tried(...by)}.`,
  lessMonth: (amount, ...by) => `Etwa ${amount} im Monat weniger als jetzt, nach ${tried(...by)}.`,
  noChange: (...by) => `Nicht mehr als jetzt, nach ${tried(...by)}.`,
  points: (amount, unit) => `${amount} ${unit}`,
  exists: "Es gibt schon so etwas",
  changeIt: (name) => `${quoted(name)} ändern`,
  another: "Etwas Neues daneben anlegen",
  stronger: (names) =>
    `Wo ${names.length === 1 ? quoted(names[0]) : `eine von ${names.map(quoted).join(", ")}`} für eine Bestellung mehr gibt, zählt nur diese.`,
  never: "Das käme nie zum Zug",
  outdone: (name) =>
    `${quoted(name)} gibt für jede dieser Bestellungen so viel oder mehr. Geben Sie hier mehr, ändern oder beenden Sie ${quoted(name)} unter Aktionen, oder lassen Sie dort alle Aktionen einer Bestellung zählen.`,
  excluded:
    "Was gewählt ist, sammelt nichts. Wählen Sie etwas anderes, oder lassen Sie es sammeln: Wie Bestellungen sammeln, unter Sammeln.",
  twice: (name) => `Es gibt schon eine: ${quoted(name)}. Gäste bekämen beides.`,
  changeThat: (name) => `Stattdessen ${quoted(name)} ändern`,
  worth: "Sagen Sie unter Allgemein, was Punkte wert sind, dann steht es in Geld da.",
  noOrders: "Es gibt keine Bestellungen der letzten 30 Tage, nach denen es zu schätzen wäre.",
  fewDays: (shown) => `Es lässt sich noch nicht schätzen: Ihre ${shown} Bestellungen sind aus weniger als einer Woche.`,
  draftFaulty: "Es wird geschätzt, sobald der Entwurf keinen Fehler hat.",
  guests: (count, shown, amount) =>
    `Etwa ${amount} im Monat, nach den Gästen von heute: ${count === 1 ? "ein Gast" : `${shown} Gäste`} im Monat.`,
  nobody: "Niemand im Monat, nach den Gästen von heute.",
  guestsOnly: (count, shown) => `Etwa ${count === 1 ? "ein Gast bekommt" : `${shown} Gäste bekommen`} es im Monat.`,
  atOnce: (count, shown) =>
    count === 1
      ? "In den ersten Tagen bekommt es ein Gast, der schon ausgeblieben ist."
      : `In den ersten Tagen bekommen es ${shown} Gäste, die schon ausgeblieben sind.`,
  unknownOften: "Wie oft das vorkommt, weiß man vorher nicht.",
  names: {
    coffeeStamps: "Kaffeestempel",
    happyHour: "Happy Hour",
    productOfMonth: "Produkt des Monats",
    cateringCap: "Catering",
    birthday: "Geburtstag",
    winBack: "Zurückgewinnen",
    bringFriend: "Freunde werben"
  },
  coffeeStamps: {
    products: "Welche Produkte bringen einen Stempel?",
    stamps: "Wie viele Stempel füllen die Karte?",
    reward: "Was bringt eine volle Karte?",
    says: (sold, stamps, reward) =>
      `Je ${sold} ein Stempel. ${stamps} Stempel bringen „${reward}“, und die Karte beginnt von vorn. Stempel zählen für sich, neben den Punkten.`,
    each: (amount) => `Höchstens ${amount} je verkauftem Stück, wenn jede Karte voll wird.`
  },
  happyHour: {
    days: "An welchen Tagen?",
    hours: "Von wann bis wann?",
    times: "Das Wievielfache der Punkte?",
    says: (days, from, until, times) => `${days}, ${from} bis ${until}: Gäste bekommen das ${times}-Fache der Punkte.`
  },
  productOfMonth: {
    products: "Welches Produkt?",
    points: "Wie viele Punkte mehr?",
    last: "Bis zu welchem Tag?",
    says: (sold, points, last) =>
      `Bis ${last} bekommt jeder Gast für eine Bestellung mit ${sold} ${points} mehr, einmal am Tag.`,
    each: (amount) => `${amount} je Gast und Tag mit einer solchen Bestellung.`
  },
  cateringCap: {
    total: "Bis zu welchem Betrag ist eine Bestellung noch kein Catering?",
    earns: "Was bringt eine größere Bestellung?",
    earnsKinds: { nothing: "Nichts: Die Kasse erfährt es", most: "So viel wie eine Bestellung über diesen Betrag" },
    perDay: "Wie viele Bestellungen eines Gastes zählen an einem Tag?",
    says: {
      nothing: (total, perDay) =>
        `Eine Bestellung über ${total} gehört nicht zum Programm: Die Kasse schließt sie ohne die Karte ab. Für einen Gast zählen höchstens ${perDay} am Tag.`,
      most: (total, points, perDay) =>
        `Keine Bestellung bringt mehr als ${points}, so viel wie eine von ${total} nach der Grundregel. Für einen Gast zählen höchstens ${perDay} am Tag.`
    },
    orders: (count, shown) => (count === 1 ? "eine Bestellung" : `${shown} Bestellungen`)
  },
  birthday: {
    reward: "Was bekommt der Gast?",
    ahead: "Wie viele Tage vor dem Geburtstag?",
    usable: "Wie viele Tage gilt es?",
    says: (reward, ahead, shown, usable) =>
      `Jeden Morgen um 8 Uhr: Wer heute oder ${ahead === 1 ? "morgen" : `in den nächsten ${shown} Tagen`} Geburtstag hat, bekommt „${reward}“, gültig für ${usable}, einmal im Jahr.`,
    segment: "Bald Geburtstag"
  },
  winBack: {
    away: "Nach wie vielen Tagen ohne Bestellung?",
    orders: "Nach mindestens wie vielen Bestellungen?",
    reward: "Was bekommt der Gast?",
    says: (away, count, reward) =>
      `Jeden Morgen um 8 Uhr: Wer mindestens ${count} hatte und seit ${away} ausgeblieben ist, bekommt „${reward}“, gültig für 30 Tage, einmal in 300 Tagen.`,
    orderCount: (count, shown) => (count === 1 ? "eine Bestellung" : `${shown} Bestellungen`),
    segment: (away) => `Seit ${away} ausgeblieben`
  },
  bringFriend: {
    points: "Wie viele Punkte bekommt, wer einen Freund mitbringt?",
    delay: "Wie viele Tage nach der ersten Bestellung des Freundes?",
    most: "Wie oft höchstens in 30 Tagen?",
    says: (points, delay, count, shown) =>
      `Wer einen Freund mitbringt, bekommt ${points}, ${delay} nach dessen erster Bestellung, höchstens ${count === 1 ? "einmal" : `${shown} Mal`} in 30 Tagen. Beim Anmelden wird gefragt, wer den Gast mitgebracht hat.`,
    each: (amount) => `${amount} je Freund, der kommt.`,
    reason: "Danke für Ihren Freund"
  },
  days: (count, shown) => (count === 1 ? "einen Tag" : `${shown} Tage`),
  awayDays: (count, shown) => (count === 1 ? "einem Tag" : `${shown} Tagen`),
  faults: {
    number: (least) => `Eine ganze Zahl ab ${least}.`,
    numberTo: (least, most) => `Eine ganze Zahl von ${least} bis ${most}.`,
    past: "Dieser Tag ist vorbei: Wählen Sie heute oder einen späteren.",
    total: (digits, shown) =>
      `Ein Betrag über 0${digits === 0 ? ", ohne Nachkommastellen" : `, mit höchstens ${shown} Nachkommastellen`}.`,
    hours: "Das Ende muss eine andere Zeit sein als der Anfang."
  }
}

/** The German texts of tiers, rewards, promotions and challenges, and of what publishing them would do. */
import type { Translation } from "../../app/Translation.ts"
import { count, number, unitName } from "./german.ts"

export const tier: Translation["tier"] = {
  title: "Stufen",
  none: "Noch keine Stufen: Alle Gäste sammeln gleich. Fügen Sie die erste hinzu.",
  add: "Stufe hinzufügen",
  advanced: "Alle Einstellungen der Stufen",
  unnamed: (place) => `Stufe ${number(place)}`,
  lowest: "Hier beginnt jeder Gast",
  from: (amount, metric) => `${metric}: ab ${amount}`,
  multiplied: (times) => `${times}-mal so viele Punkte`,
  plain: "Die üblichen Punkte",
  benefits: (names) => `Dazu: ${names}`,
  anew: (day) => `Jedes Jahr am ${day} beginnt die Zählung neu.`,
  never: "Die Zählung beginnt nie neu.",
  retention: {
    period: "Eine Stufe gilt bis zum Ende des Jahres, in dem sie erreicht wurde.",
    following_period: "Eine Stufe gilt bis zum Ende des Jahres nach dem, in dem sie erreicht wurde."
  },
  metric: "Insgesamt gesammelt",
  dialog: {
    minimum: (metric) => `Ab wie vielen (${metric})`,
    minimumHint: "0 für die niedrigste Stufe.",
    times: "Punkte mal",
    timesHint: "1: die üblichen Punkte.",
    benefits: "Was Gäste dieser Stufe sonst bekommen, freiwillig",
    benefitsHint: "In wenigen Worten. Drücken Sie nach jedem Enter.",
    faults: {
      name: "Geben Sie einen Namen ein.",
      minimum: "Geben Sie eine ganze Zahl ein.",
      times: "Geben Sie eine Zahl ab 0 ein."
    }
  }
}

export const reward: Translation["reward"] = {
  title: "Prämien",
  none: "Noch keine Prämien. Fügen Sie die erste hinzu.",
  add: "Prämie hinzufügen",
  costs: (points, unit) => `${points} ${unit}`,
  off: (money) => `${money} Rabatt auf die Bestellung`,
  offLines: (money) => `${money} Rabatt auf einige Positionen der Bestellung`,
  free: (_, shown, worth) => `${shown} Artikel gratis, im Wert bis ${worth}`,
  freeOf: (what) => `Aus: ${what}`,
  freeOfAny: "Aus allem",
  own: (name) => `Etwas Eigenes: ${name}`,
  from: (time) => `Ab ${time}`,
  until: (time) => `Bis ${time}`,
  fromUntil: (from, until) => `Ab ${from}, bis ${until}`,
  anyTime: "Jederzeit, so oft die Punkte reichen",
  shownPicture: "Ihr Bild",
  unnamed: (place) => `Prämie ${number(place)}`,
  advanced: "Alle Einstellungen der Prämien",
  points: (unit) => `Kosten, in ${unit === "Punkte" ? "Punkten" : unit}`,
  gets: "Was der Gast bekommt",
  kinds: { discount: "Rabatt auf die Bestellung", free_item: "Gratisartikel" },
  exotic:
    "Der Gast bekommt etwas, das hier nicht bearbeitet wird. Es steht unter „Alle Einstellungen“ und bleibt, wie es ist.",
  amount: (currency) => `Rabatt (${currency})`,
  quantity: "Wie viele Artikel",
  worth: (currency) => `Zusammen höchstens wert (${currency})`,
  categories: "Aus diesen Kategorien",
  products: "Aus diesen Produkten",
  idsHint: {
    categories: "Tippen Sie einen Teil des Namens ein, oder wählen Sie. Drücken Sie nach jedem Enter.",
    products: "Ohne Kategorien und Produkte ist es ein beliebiger Artikel."
  },
  picture: "Adresse eines Bildes, freiwillig",
  paidBy: (party) => `${party} bezahlt sie. Unter „Alle Einstellungen“ lässt sich das auf mehrere verteilen.`,
  faults: {
    name: "Geben Sie einen Namen ein.",
    points: "Geben Sie eine ganze Zahl ein.",
    amount: "Geben Sie einen Betrag ein, zum Beispiel 5,00.",
    quantity: "Geben Sie eine ganze Zahl ab 1 ein.",
    picture: "Geben Sie eine Adresse ein, die mit https:// beginnt."
  }
}

const most = (n: number, shown: string): string => `Höchstens ${shown} ${count(n, "Bestellung", "Bestellungen")}`

export const promotion: Translation["promotion"] = {
  title: "Aktionen",
  none: "Noch keine Aktionen. Fügen Sie die erste hinzu.",
  add: "Aktion hinzufügen",
  advanced: "Alle Einstellungen der Aktionen",
  unnamed: (place) => `Aktion ${number(place)}`,
  used: (n, shown, points) => `${shown} ${count(n, "Bestellung", "Bestellungen")} in den letzten 30 Tagen, ${points}`,
  unused: "Keine Bestellung in den letzten 30 Tagen",
  guestsOf: (tiers) => `Gäste der Stufen ${tiers}`,
  firstOrder: "Die erste Bestellung eines Gastes",
  joined: (days, shown) => `Gäste, die seit höchstens ${shown} ${count(days, "Tag", "Tagen")} dabei sind`,
  spendFrom: (money) => `Ab ${money}`,
  oftenest: (n, shown) => ({
    day: `${most(n, shown)} am Tag je Gast`,
    week: `${most(n, shown)} in der Woche je Gast`,
    month: `${most(n, shown)} im Kalendermonat je Gast`,
    promotion: `${most(n, shown)} je Gast`
  }),
  dialog: {
    gets: "Was der Gast bekommt",
    kinds: {
      multiply_bps: "Ein Vielfaches der Punkte",
      add_per_item: "Punkte für jeden Artikel bestimmter Produkte",
      add: "Punkte für eine Bestellung"
    },
    amounts: {
      multiply_bps: "Punkte mal, zum Beispiel 2",
      add_per_item: "Punkte je Artikel",
      add: "Punkte je Bestellung"
    },
    more: "Mehr: Zeitraum, Umsatz, wie oft, Gäste und Filialen",
    spend: (currency) => `Ab diesem Umsatz (${currency}), freiwillig`,
    tiers: "Nur Gäste der Stufe",
    tiersHint: "Nichts gewählt: jede Stufe.",
    isFirst: "Nur die erste Bestellung eines Gastes",
    joined: "Nur Gäste, die seit höchstens so vielen Tagen dabei sind, freiwillig",
    joinedHint: "30: jeder Gast in den ersten 30 Tagen.",
    every: "Wie oft ein Gast es bekommt",
    everyNone: "Bei jeder Bestellung",
    everys: {
      day: "Begrenzt am Tag",
      week: "Begrenzt in der Woche, ab Montag",
      month: "Begrenzt im Kalendermonat",
      promotion: "Begrenzt insgesamt"
    },
    count: "Höchstens bei wie vielen Bestellungen",
    faults: {
      name: "Geben Sie einen Namen ein.",
      times: "Geben Sie eine Zahl über 1 ein, höchstens 10.",
      points: "Geben Sie eine ganze Zahl ab 1 ein.",
      products: "Geben Sie Produkte oder Kategorien an.",
      spend: "Geben Sie einen Betrag ein, zum Beispiel 5,00.",
      count: "Geben Sie eine ganze Zahl ab 1 ein.",
      joined: "Geben Sie eine ganze Zahl ab 1 ein."
    }
  },
  name: "Aktion",
  state: "Zustand",
  off: "Abgeschaltet",
  over: "Vorbei",
  runs: "Läuft jetzt",
  runsUntil: (time) => `Läuft jetzt, bis ${time}`,
  next: (time) => `Nächstes Mal: ${time}`,
  multiplies: (times) => `${times}-mal so viele Punkte`,
  adds: (points, unit) => `${points} ${unitName(unit)} je Bestellung`,
  addsPerItem: (points, unit) => `${points} ${unitName(unit)} je Artikel`,
  addsPerItemOfAll: (points, unit) => `${points} ${unitName(unit)} je Artikel, für alle Artikel, die zählen`,
  nothing: "noch nichts",
  calendar: "Die nächsten 7 Tage",
  calendarHint: (zone) => `Was die Formulare sagen, in der Zeitzone des Programms (${zone}).`,
  allDay: "den ganzen Tag",
  until: (time) => `bis ${time}`,
  trial: "Was die letzte Woche gesammelt hätte",
  trialHint:
    "Probiert diese Aktionen, veröffentlicht oder nicht, an den aufgezeichneten Bestellungen der letzten 7 Tage. Ändert nichts.",
  try: "An den Bestellungen der letzten Woche probieren",
  tried: (orders, shown) =>
    `${shown} ${count(orders, "Bestellung", "Bestellungen")} der letzten 7 Tage ${count(orders, "wurde", "wurden")} probiert.`,
  partial: "Es gab mehr. Das sind die neuesten.",
  together: (points) => `Zusammen hätten sie ${points} gegeben.`,
  togetherNothing: "Sie hätten nichts gegeben.",
  orders: "Bestellungen",
  given: "Punkte",
  untried: (names) =>
    `Nicht probiert, weil Bestellungen ohne ihre Produkte aufgezeichnet werden: ${names}. Probieren Sie diese neben den Formularen an einer Bestellung.`,
  caveat:
    "Bestellungen zählen nach Umsatz, Filiale und Zeit. Jeder Gast hat seine jetzige Stufe und vor diesen Bestellungen nichts verwendet.",
  figures: "Was sie in den letzten 30 Tagen gegeben haben",
  figuresHint:
    "Mit heute, so wie „Heute“ sie zählt. So, wie die Bestellungen gesammelt haben. Erstattungen ändern hier nichts.",
  with: "Bestellungen mit ihr",
  withSpend: "Durchschnittlicher Umsatz mit ihr",
  without: "Bestellungen ohne sie",
  withoutSpend: "Durchschnittlicher Umsatz ohne sie",
  removed: (id) => `${id} (entfernt)`
}

export const challenge: Translation["challenge"] = {
  title: "Aufgaben",
  none: "Noch keine Aufgaben. Fügen Sie die erste hinzu.",
  add: "Aufgabe hinzufügen",
  advanced: "Alle Einstellungen der Aufgaben",
  unnamed: (place) => `Aufgabe ${number(place)}`,
  name: "Aufgabe",
  gives: (name) => `Gibt: ${name}`,
  usable: (n, shown) => `Innerhalb von ${shown} ${count(n, "Tag", "Tagen")} zu verwenden`,
  noReward: "noch keine Prämie",
  needsReward: "Eine Aufgabe gibt eine Prämie. Fügen Sie zuerst unter „Prämien“ eine hinzu.",
  dialog: {
    counts: "Was zählt",
    kinds: {
      orders: "Bestellungen",
      days: "Tage mit einer Bestellung",
      items: "Artikel bestimmter Produkte",
      spend: "Umsatz",
      weeks_in_a_row: "Wochen in Folge mit einer Bestellung"
    },
    amount: "Wie viele",
    spent: (currency) => `Wie viel (${currency})`,
    every: "In welcher Zeit",
    everys: {
      any: "In beliebiger Zeit",
      week: "In einer Woche, ab Montag",
      month: "In einem Kalendermonat",
      year: "In einem Kalenderjahr"
    },
    everyHints: {
      days: "Tage werden in einer Woche oder einem Kalendermonat gezählt.",
      weeks: "Die Folge der Wochen kann jederzeit beginnen.",
      others: "Die letzten 30 Tage, jeden Tag neu gezählt, sind nicht möglich."
    },
    reward: "Was der Gast bekommt",
    choose: "Prämie wählen",
    more: "Mehr: immer wieder, Zeitraum, Umsatz, wie lange die Prämie gilt und Filialen",
    repeats: "Sie kann immer wieder erfüllt werden",
    least: (currency) => `Eine Bestellung zählt ab diesem Umsatz (${currency}), freiwillig`,
    days: "Tage, in denen die Prämie verwendet werden kann, freiwillig",
    faults: {
      name: "Geben Sie einen Namen ein.",
      amount: "Geben Sie eine ganze Zahl ab 1 ein.",
      spent: "Geben Sie einen Betrag über 0 ein, zum Beispiel 50,00.",
      products: "Geben Sie Produkte oder Kategorien an.",
      reward: "Wählen Sie eine Prämie.",
      least: "Geben Sie einen Betrag ein, zum Beispiel 5,00.",
      days: "Geben Sie eine Zahl über 0 ein."
    }
  },
  counts: {
    orders: (n, shown) => `${shown} ${count(n, "Bestellung", "Bestellungen")}`,
    days: (n, shown) => `Bestellungen an ${shown} ${count(n, "Tag", "Tagen")}`,
    items: (_, shown) => `${shown} Artikel`,
    weeks_in_a_row: (n, shown) => `eine Bestellung in ${n === 1 ? "einer Woche" : `jeder von ${shown} Wochen in Folge`}`
  },
  spends: (money) => `Bestellungen für ${money}`,
  nothing: "noch nichts",
  every: { week: "in einer Woche ab Montag", month: "in einem Kalendermonat", year: "in einem Kalenderjahr" },
  ofSome: "bestimmter Produkte",
  withSpend: (money) => `je ab ${money}`,
  repeats: "so oft es gelingt",
  once: "einmal",
  progress: (done, needed) => `${done} von ${needed}`,
  progressColumn: "Fortschritt",
  completed: "Erfüllt",
  until: "Bis"
}

export const occasion: Translation["occasion"] = {
  days: "Tage",
  daysHint: "Nichts gewählt: jeden Tag.",
  from: "Ab, Uhrzeit",
  until: "Bis, Uhrzeit",
  hoursHint: (zone) => `Leer: den ganzen Tag. Früher als der Beginn: Es geht über Mitternacht. In ${zone}.`,
  first: "Erster Tag, freiwillig",
  last: "Letzter Tag, freiwillig",
  notShown:
    "Es hat Zeiten, die hier nicht bearbeitet werden. Sie stehen unter „Alle Einstellungen“ und bleiben, wie sie sind.",
  products: "Von diesen Produkten",
  categories: "Aus diesen Kategorien",
  places: "Nur in diesen Filialen",
  placesHint: {
    names: "Nichts gewählt: in allen.",
    ids: "IDs so, wie die Kasse sie sendet. Keine: in allen. Auf der Seite „Heute“ bekommt jede einen Namen."
  },
  notChosen: (typed) => `„${typed}“ wurde nicht hinzugefügt. Wählen Sie eine Filiale aus der Liste.`,
  noPlace: "Keine Filiale heißt so.",
  channels: "Nur bestellt über",
  channelsHint: "Nichts gewählt: wie auch immer bestellt wird.",
  idsHint: {
    products: "Tippen Sie einen Teil des Namens ein, oder wählen Sie. Drücken Sie nach jedem Enter.",
    categories: "Ohne Produkte und Kategorien zählt alles, was sammelt."
  },
  faults: {
    hours: "Ende und Beginn müssen verschieden sein.",
    dates: "Der letzte Tag darf nicht vor dem ersten liegen."
  },
  of: (what) => `Für ${what}`,
  at: (places) => `In ${places}`,
  by: (channels) => `Nur ${channels}`,
  everyDay: "Jeden Tag",
  range: (from, to) => `${from}–${to}`,
  window: (days, from, until) => `${days}, ${from}–${until}`,
  on: (days) => `Am ${days}`,
  firstOn: (day) => `Ab ${day}`,
  lastOn: (day) => `Bis einschließlich ${day}`,
  before: (time) => `Bis ${time}`,
  always: "Jederzeit"
}

/** The German texts about triggers and frequencies of campaigns. */
import type { Translation } from "../../app/Translation.ts"
import { count, days, inDays, number } from "./german.ts"

const inUnits = {
  days: (n: number) => count(n, "Tag", "Tage"),
  hours: (n: number) => count(n, "Stunde", "Stunden"),
  minutes: (n: number) => count(n, "Minute", "Minuten"),
  seconds: (n: number) => count(n, "Sekunde", "Sekunden")
}

export const automation: Translation["automation"] = {
  how: "Wie sie beginnt",
  hows: { schedule: "Nach Zeitplan oder von Hand", trigger: "Wenn etwas geschieht" },
  howFixed: "Das lässt sich nicht ändern. Legen Sie stattdessen eine andere Kampagne an.",
  when: "Wann",
  whenIn: (zone) => `Wann (${zone})`,
  on: "Was geschieht",
  events: {
    "member.enrolled": "Ein Gast meldet sich an",
    "order.accrued": "Eine Bestellung sammelt Punkte",
    "tier.changed": "Die Stufe eines Gastes ändert sich",
    "challenge.completed": "Ein Gast erfüllt eine Aufgabe",
    "points.expiring": "Punkte eines Gastes verfallen bald"
  },
  to: "Wer es bekommt",
  receivers: { member: "Der Gast", referrer: "Wer den Gast geworben hat" },
  referrerHint:
    "Der Gast, der den bestellenden Gast mitgebracht hat, so wie es beim Aufnehmen des Gastes oder in Ihrer App angegeben wurde. Nur für die erste Bestellung, einmal je geworbenem Gast.",
  where: "Welche Bestellungen zählen",
  places: "Filialen",
  placesHint: "Leer: alle.",
  spend: "Mindestumsatz",
  anySpend: "beliebig",
  spendOfFirst: "Liegt die erste Bestellung darunter, gibt es nichts, und keine spätere tritt an ihre Stelle.",
  first: "Nur die erste Bestellung eines Gastes",
  direction: "In welche Stufe",
  directions: { up: "Eine höhere", down: "Eine niedrigere", both: "Jede andere" },
  imports: "Auch Gäste, die ein Import aufnimmt",
  delay: "Verzögerung",
  noDelay: "keine",
  delayUnit: "Einheit der Verzögerung",
  units: { days: "Tage", hours: "Stunden", minutes: "Minuten", seconds: "Sekunden" },
  delayBounds: "darf höchstens ein Jahr sein",
  delayHint: "Eine Bestellung, die vor Ablauf der Verzögerung ganz erstattet wird, gibt nichts.",
  once: "Wie oft für einen Gast",
  repeats: { member: "Nur einmal", event: "Jedes Mal", days: "Einmal in einigen Tagen" },
  onceDays: "Tage",
  anybody: "Alle",
  audience: "Nur Gäste im Segment",
  audienceHints: {
    member: "Wer etwas bekommt, muss bei der Vergabe darin sein.",
    referrer: "Wer den Gast geworben hat, muss bei der Vergabe darin sein, nicht der geworbene Gast."
  },
  onFixed: "Fest: Es ist die erste Bestellung des geworbenen Gastes.",
  changed:
    "Was schon wartet, behält seinen Tag und was es gibt. Segment und Grenzen zählen so, wie sie bei der Vergabe sind.",
  frequency: "Höchstens für einen Gast",
  times: "Mal",
  inDays: "In Tagen",
  unbounded: "keine Grenze",
  frequencyHint: "Zusammengelegte Gäste zählen als einer. Leer: ohne diese Grenze.",
  frequencyOfAgain:
    "Zusammengelegte Gäste zählen als einer. Leer: Jeder Gast bekommt es jedes Mal wieder, bei jedem Lauf oder jedem Ereignis.",
  frequencyOfYear: "Üblich für Geburtstage und um Gäste zurückzugewinnen: einmal in 300 Tagen.",
  birthdaysMissed: (gap, ahead) =>
    `Zwischen zwei Läufen liegen bis zu ${days(gap)}, und das Segment schaut ${days(ahead)} voraus: ` +
    `Gäste mit einem Geburtstag dazwischen bekommen nichts. Lassen Sie es mindestens ${days(gap - 1)} vorausschauen.`,
  birthdaysAtRisk:
    "Ist der Dienst nicht in Betrieb, wenn ein Lauf fällig ist, bekommen die Geburtstagsgäste dieses Tages nichts. Lassen Sie das Segment einige Tage vorausschauen, zum Beispiel 6: Mit „einmal in 300 Tagen“ gibt es trotzdem nur einmal.",
  frequencyOfReferrer: "Nötig: Sie begrenzt, was ein Gast für geworbene Gäste bekommt.",
  limits: "Grenzen über alles, was sie gibt",
  expiresHint: "Ab dem Zeitpunkt der Vergabe. Leer: Sie läuft nicht ab.",
  holdoutHint:
    "Dieser zufällig gewählte Teil der Gäste bekommt nichts. Die Auswertung vergleicht ihre Bestellungen mit denen der anderen und zeigt so, was die Kampagne bewirkt. 0 bis 90.",
  words: {
    events: {
      "member.enrolled": "Wenn sich ein Gast anmeldet",
      "order.accrued": "Wenn eine Bestellung Punkte sammelt",
      "tier.changed": "Wenn sich die Stufe eines Gastes ändert",
      "challenge.completed": "Wenn ein Gast eine Aufgabe erfüllt",
      "points.expiring": "Wenn Punkte eines Gastes bald verfallen"
    },
    tiers: { up: "Wenn ein Gast eine höhere Stufe erreicht", down: "Wenn ein Gast in eine niedrigere Stufe fällt" },
    withImports: "auch durch einen Import",
    firstOrder: "Wenn die erste Bestellung eines Gastes Punkte sammelt",
    friend: "Wenn die erste Bestellung eines geworbenen Gastes Punkte sammelt",
    at: (places) => `in ${places}`,
    or: "oder",
    spend: (least) => `ab ${least}`,
    later: (value, unit) => `${value} ${unit} später`,
    once: { member: "einmal je Gast", event: "jedes Mal" },
    onceIn: (n) => `einmal in ${inDays(n)} je Gast`,
    onceFriend: "einmal je geworbenem Gast",
    units: inUnits,
    frequency: (times, n) =>
      `${times === 1 ? "einmal" : times === 2 ? "zweimal" : `${number(times)}-mal`} in ${inDays(n)}`
  },
  noFrequency: "ohne Grenze",
  noRuns: "keine Läufe",
  given: "Vergeben",
  activate: "Von jetzt an gibt sie dies jedes Mal, wenn es geschieht. Was vorher geschah, zählt nicht.",
  pause:
    "Es wird nichts vergeben, bis Sie sie fortsetzen. Was vorher geschah, wartet; was inzwischen geschieht, zählt nicht.",
  resume: "Fortsetzen",
  withdraw: "Sie gibt nichts, bis Sie sie aktivieren. Gäste behalten, was sie bekommen haben.",
  sofar: "Was sie bisher gegeben hat",
  nothingYet: "Bisher hat nichts sie ausgelöst.",
  figures: {
    issued: "Vergeben",
    waiting: "Wartet",
    skipped: "Ohne Vergabe",
    failed: "Abgelehnt",
    holdout: "Kontrollgruppe"
  },
  waitingHint: "Ihre Verzögerung ist nicht vorbei, oder die Kampagne ist angehalten.",
  newest: (events) => `Wer es bekommen hat: die neuesten ${number(events)} Ereignisse`,
  member: "Gast",
  friend: "Geworbener Gast",
  gotIt: "Wer es bekam",
  happenedAt: (zone) => `Geschehen (${zone})`,
  came: "Was daraus wurde",
  statuses: {
    waiting: (at) => `Wartet bis ${at}`,
    issued: (at) => `Vergeben ${at}`,
    skipped: () => "Ohne Vergabe",
    failed: () => "Abgelehnt",
    holdout: () => "Kontrollgruppe"
  },
  why: "Warum nichts vergeben wurde",
  happened: "Mal",
  codes: {
    already_reached: "Der Gast hat es schon bekommen oder war in der Kontrollgruppe",
    frequency_reached: "Der Gast hat es oft genug bekommen oder war oft genug in der Kontrollgruppe",
    limit_reached: "Die Grenze der Kampagne war erreicht",
    order_closed: "Die Bestellung wurde erstattet, storniert oder übertragen",
    not_in_segment: "Der Gast war nicht im Segment",
    no_referrer: "Das Merkmal „referred_by“ fehlt oder nennt keinen Gast des Programms",
    own_referrer: "Der Gast hat sich selbst angegeben",
    referrer_not_active: "Wer den Gast geworben hat, ist nicht aktiv",
    referrer_joined_later: "Wer den Gast geworben hat, kam erst nach ihm dazu"
  }
}

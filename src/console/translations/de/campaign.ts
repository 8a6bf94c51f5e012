/** The German texts of the campaigns' pages. */
import type { Translation } from "../../app/Translation.ts"
import { count, inDays, number } from "./german.ts"

export const archive: Translation["archive"] = {
  archived: (n) => `Archiviert (${number(n)})`,
  archive: "Archivieren",
  restore: "Wiederherstellen",
  campaign:
    "Sie gibt nichts mehr und verschwindet aus der Liste der Kampagnen. Läufe und Auswertung bleiben. Sie können sie wiederherstellen.",
  campaignBack: "Sie wird zum Entwurf: Sie gibt nichts, bis Sie sie aktivieren.",
  segment:
    "Es verschwindet aus den Listen der Segmente und kann nicht mehr gewählt werden. Sie können es wiederherstellen.",
  segmentBack: "Es kann wieder geändert und gewählt werden.",
  segmentNote: "Dieses Segment ist archiviert. Stellen Sie es wieder her, um es zu ändern oder zu verwenden.",
  used: "Es kann nicht archiviert werden: Eine Kampagne oder ein anderes Segment verwendet es noch.",
  needs: "Stellen Sie zuerst wieder her, was sie verwendet: Ihr Segment ist archiviert.",
  allArchived: "Alle sind archiviert."
}

export const campaign: Translation["campaign"] = {
  anybody: "Alle",
  create: "Kampagne anlegen",
  none: "Noch keine Kampagnen",
  noneHint: "Eine Kampagne gibt Gästen eine Prämie oder Punkte: nach einem Zeitplan, oder wenn etwas geschieht.",
  all: "Alle Kampagnen",
  gone: "Kampagne nicht gefunden",
  name: "Name",
  status: "Zustand",
  statuses: {
    draft: "Entwurf",
    active: "Aktiv",
    paused: "Angehalten",
    archived: "Archiviert",
    scheduled: "Geplant",
    completed: "Grenze erreicht",
    expired: "Beendet"
  },
  segment: "Segment",
  action: "Gibt",
  next: "Nächster Lauf",
  noNext: "keiner",
  repeats: (how, next) => `${how}, nächster Lauf ${next}`,
  onceActive: (at) => `${at}, sobald sie aktiv ist`,
  last: "Letzter Lauf",
  noRun: "noch keiner",
  schedule: "Zeitplan",
  holdout: "Kontrollgruppe",
  noHoldout: "keine",
  holdoutOf: (percent) => `${percent} des Segments`,
  limits: "Grenzen",
  noLimits: "keine",
  limitRewards: (n, shown) => `${shown} ${count(n, "Gast", "Gäste")}`,
  limitAmount: (n, unit) => `${n} ${unit}`,
  attribution: "Bestellungen",
  attributionOf: (n) => `innerhalb von ${inDays(n)}, nachdem der Gast erreicht wurde`,
  settings: "Einstellungen",
  pending: {
    title: "Eine geänderte Zielgruppe wartet",
    changed: "Diese Segmente wurden geändert. Die Kampagne verwendet sie so, wie sie vorher waren:",
    comes: (n, shown) => `${shown} ${count(n, "Gast kommt", "Gäste kommen")} in die Zielgruppe`,
    goes: (n, shown) => `${shown} ${count(n, "Gast fällt", "Gäste fallen")} heraus`,
    nobody: "Zurzeit kommt dadurch niemand hinzu, und niemand fällt heraus.",
    all: (who) => `${who}:`,
    some: (who) => `${who}, zum Beispiel:`,
    confirm: "Neue Zielgruppe verwenden",
    preview: "Ab der nächsten Vergabe verwendet die Kampagne ihre Segmente so, wie sie jetzt sind.",
    others: (roles) => `Die Änderung bestätigt jemand, der Punkte und Prämien vergeben darf (${roles}).`
  },
  edit: "Bearbeiten",
  duplicate: "Duplizieren",
  delete: "Löschen",
  deletePreview: (name) =>
    `Der Entwurf „${name}“ wird endgültig gelöscht. Eine Kampagne, die schon aktiv war, bleibt erhalten.`,
  givesReward: (reward) => `die Prämie „${reward}“`,
  givesRewardFor: (reward, n, shown) => `die Prämie „${reward}“, ${shown(n)} ${count(n, "Tag", "Tage")} gültig`,
  givesCredit: (amount, unit) => `${amount} ${unit}`,
  when: {
    none: "Wenn jemand sie startet",
    once: (at) => `Einmal, ${at}`,
    daily: (time) => `Jeden Tag um ${time}`,
    weekdays: (time) => `Montag bis Freitag um ${time}`,
    weekly: (on, time) => `Jede Woche ${on} um ${time}`,
    monthly: (day, time) => `Am ${day}. jedes Monats um ${time}`,
    advanced: (cron) => `Nach dem Cron-Ausdruck ${cron}`,
    inZone: (what, zone) => `${what} (${zone})`,
    from: (at) => `ab ${at}`,
    until: (at) => `bis ${at}`
  },
  guests: {
    title: "Was Gäste lesen",
    none: "nichts",
    name: "Überschrift für Gäste",
    nameHint: (n, most) => `Den Namen der Kampagne selbst lesen Gäste nie. ${number(n)} von ${number(most)} Zeichen.`,
    text: "Text für Gäste",
    textHint: (n, most) =>
      `Die Gästeseite zeigt ihn beim Geschenk, und Ihre App kann es auch. ${number(n)} von ${number(most)} Zeichen.`,
    preview: "So lesen es die Gäste",
    nothing: "Gäste lesen nichts über diese Kampagne: Sie hat keinen Text für sie."
  },
  mail: {
    title: "Mail an alle, die zugestimmt haben",
    none: "keine",
    send: "Auch eine Mail schicken",
    hint: "Wer etwas bekommt, Mails zugestimmt und die Adresse bestätigt hat, bekommt eine Mail, wie oft die Kampagne auch läuft.",
    lacks: {
      server:
        "Dieser Dienst hat keinen Mailserver und verschickt keine Mails. Wer ihn betreibt, kann einen einrichten.",
      page: "Das Programm hat keine Gästeseite, auf der Gäste ihre Adresse bestätigen. Veröffentlichen Sie zuerst eine.",
      sandbox: "Eine Sandbox verschickt keine Mails. Die Ergebnisse zählen, was verschickt würde."
    },
    languages: { en: "Englisch", de: "Deutsch" },
    subject: "Betreff",
    subjectIn: (language) => `Betreff, ${language}`,
    subjectHint: (n, most) => `${number(n)} von ${number(most)} Zeichen.`,
    text: "Text der Mail",
    textIn: (language) => `Text der Mail, ${language}`,
    textHint: (n, most) => `Eine leere Zeile beginnt einen Absatz. ${number(n)} von ${number(most)} Zeichen.`,
    otherwise: (language) => `Bleibt eine Sprache leer, bekommen ihre Gäste die Mail auf ${language}.`,
    preview: "So bekommen sie die Gäste",
    previewIn: (language) => `So bekommen sie die Gäste, ${language}`,
    footer: "Darunter folgen ein Link zur Gästeseite, warum der Gast diese Mail bekommt, und ein Link zum Abbestellen.",
    days: "Tage, in denen sie verschickt wird",
    daysHint: "Nach dem Geschenk. Was bis dahin nicht verschickt werden konnte, wird nicht mehr verschickt. 1 bis 30.",
    toSave: "Schreiben Sie Betreff und Text, in jeder Sprache beides oder keines.",
    each: (subject) =>
      `Wer es bekommt, Mails zugestimmt und die Adresse bestätigt hat, bekommt auch einmal die Mail „${subject}“.`,
    would: (n, shown) => `Bis zu ${shown} ${count(n, "Gast bekommt", "Gäste bekommen")} die Mail.`,
    without: {
      already_mailed: (n, shown) => `${shown} ${count(n, "hatte", "hatten")} die Mail dieser Kampagne schon.`,
      not_active: (n, shown) =>
        `${shown} ${count(n, "ist gesperrt oder verlässt", "sind gesperrt oder verlassen")} das Programm: keine Mail.`,
      no_email: (n, shown) => `${shown} ${count(n, "hat", "haben")} keine E-Mail-Adresse.`,
      no_consent: (n, shown) => `${shown} ${count(n, "hat", "haben")} Mails nicht zugestimmt.`,
      not_confirmed: (n, shown) =>
        `${shown} ${count(n, "hat", "haben")} die Adresse nicht mit einem Code auf der Gästeseite bestätigt.`
    },
    figures: {
      sent: "Verschickte Mails",
      waiting: "Wartende Mails",
      failed: "Gescheiterte Mails",
      skipped: "Nicht mehr zugestimmt",
      unsubscribed: "Abbestellt",
      rehearsed: "Mails eines echten Dienstes"
    }
  },
  form: {
    newTitle: "Neue Kampagne",
    copyOf: (name) => `${name} (Kopie)`,
    changeTitle: (name) => `„${name}“ ändern`,
    chooseSegment: "Segment wählen",
    matches: (n, people) => `Zurzeit ${n} ${people}`,
    action: "Was jeder Gast bekommt",
    actions: { reward: "Eine Prämie", credit: "Punkte" },
    reward: "Prämie",
    chooseReward: "Prämie wählen",
    rewardHint: "Die ID der Prämie im Programm.",
    noRewards:
      "Das Programm hat noch keine Prämien. Legen Sie eine unter Programm, Prämien an, und veröffentlichen Sie sie.",
    rewardsHint:
      "Ihr Token kann die Namen der Prämien nicht lesen, deshalb stehen hier IDs. Manche können aus früheren Versionen sein.",
    expires: "Tage bis zum Ablauf",
    expiresHint: "Ab dem Beginn des Laufs. Leer: Sie läuft nicht ab.",
    expiresBounds: "muss zwischen einer Minute und hundert Jahren liegen",
    amount: "Menge",
    unit: "Konto",
    reason: "Grund",
    reasonHint: "Steht bei der Buchung. Geben Sie keine persönlichen Daten ein.",
    schedule: "Wann sie läuft",
    modes: { none: "Nur wenn jemand sie startet", once: "Einmal", repeated: "Immer wieder" },
    at: "Tag und Uhrzeit",
    pattern: "Wie oft",
    patterns: {
      daily: "Jeden Tag",
      weekdays: "Montag bis Freitag",
      weekly: "An bestimmten Wochentagen",
      monthly: "An einem Tag des Monats",
      advanced: "Für Fachleute: ein Cron-Ausdruck"
    },
    days: "Wochentage",
    day: "Tag des Monats",
    dayHint: "Monate ohne diesen Tag werden übersprungen.",
    time: "Uhrzeit",
    cron: "Cron-Ausdruck",
    cronHint: "Minute, Stunde, Tag des Monats, Monat, Wochentag, zum Beispiel 0 9 * * 1.",
    zone: "Zeitzone",
    starts: "Nicht vor",
    ends: "Endet",
    inZone: (zone) => `Zeit in ${zone}`,
    occurrences: "Die nächsten Läufe",
    noOccurrence: "Bis die Kampagne endet, ist kein Lauf geplant. Ändern Sie den Zeitplan oder das Ende.",
    incomplete: "Füllen Sie den Zeitplan aus, um die nächsten Läufe zu sehen.",
    past: "Dieser Zeitpunkt liegt in der Vergangenheit. Wählen Sie einen späteren.",
    holdout: "Kontrollgruppe, %",
    holdoutHint:
      "Dieser zufällig gewählte Teil des Segments bekommt nichts. Die Auswertung vergleicht seine Bestellungen mit denen der anderen und zeigt so, was die Kampagne bewirkt. 0 bis 90.",
    holdoutFixed:
      "Nach dem ersten Lauf kann die Kontrollgruppe nicht mehr geändert werden, damit die Ergebnisse vergleichbar bleiben.",
    more: "Mehr: wie gemessen wird, und wie oft ein Gast es bekommt",
    measure: "Wie gemessen wird",
    limits: "Grenzen über alle Läufe zusammen",
    limitRewards: "Höchstens so viele Gäste",
    limitAmount: "Höchstens so viele Punkte insgesamt",
    noLimit: "keine Grenze",
    attribution: "Auswertungszeitraum, Tage",
    attributionHint:
      "Eine Bestellung zählt, wenn sie innerhalb so vieler Tage kommt, nachdem die Kampagne den Gast erreicht hat. 1 bis 90.",
    save: "Speichern",
    draftHint: "Eine neue Kampagne ist ein Entwurf: Sie tut nichts, bis Sie sie aktivieren.",
    toSave: "Füllen Sie alle mit * markierten Felder aus, um zu speichern."
  },
  activate: "Aktivieren",
  outdated:
    "Nicht erledigt: Die Kampagne oder ihr Segment hat sich geändert, seit Sie das geöffnet haben. Oben steht der jetzige Stand.",
  activateOver: "Ihr Ende oder ihr Zeitplan ist vorbei: Sie wird nie laufen. Ändern Sie zuerst den Zeitplan.",
  activatePreview: "Die Kampagne kann gestartet werden und läuft nach ihrem Zeitplan.",
  activateFirst: (at) => `Ihr erster geplanter Lauf ist am ${at}.`,
  activateNone: "Sie hat keinen Zeitplan: Sie gibt nichts, bis jemand sie startet.",
  repeat: (how, n, shown, span) =>
    `Sie wiederholt sich: ${how}, ${shown} ${count(n, "Lauf", "Läufe")} in ${inDays(span)}.`,
  again: "Jeder Gast bekommt es bei jedem Lauf wieder, solange er im Segment ist.",
  againEvent: "Jeder Gast bekommt es jedes Mal wieder, wenn es geschieht.",
  bound: "Festlegen, wie oft ein Gast es bekommen darf",
  atMost: (often) => `Ein Gast bekommt es höchstens ${often}.`,
  month: (span, given) => `In ${inDays(span)} etwa ${given}, wenn das Segment gleich groß bleibt.`,
  monthBetween: (span, same, others) =>
    `In ${inDays(span)}, wenn das Segment gleich groß bleibt: etwa ${same}, wenn es bei jedem Lauf dieselben Gäste hat, und bis zu ${others}, wenn es andere hat.`,
  rewards: (n, reward) => `${n} × „${reward}“`,
  cost: {
    gift: (money) => `Jede Gabe kostet höchstens ${money}.`,
    run: (money) => `Ein Lauf kostet höchstens ${money}.`,
    month: (money) => `Etwa ${money} im Monat.`,
    monthBetween: (least, most) => `Etwa ${least} bis ${most} im Monat.`,
    each: (money) => `Jedes Mal kostet sie höchstens ${money}. Niemand kann sagen, wie oft das geschieht.`,
    limit: (money) => `Insgesamt kostet sie höchstens ${money}, durch ihre Grenze.`,
    unused: "Prämien, die niemand verwendet, kosten nichts.",
    unknown: {
      points: "Für Punkte ist kein Wert festgelegt, deshalb kann niemand sagen, was sie kostet.",
      account: "Punkte dieses Kontos haben keinen Geldwert, deshalb kann niemand sagen, was sie kostet.",
      reward: "Niemand hat gesagt, was diese Prämie wert ist, deshalb kann niemand sagen, was sie kostet."
    },
    setPoints: "Festlegen, was Punkte wert sind"
  },
  gives: (what, often) => `Sie gibt ${what}, ${often}.`,
  stopsAt: (limits) => `Sie endet an der Grenze: ${limits}.`,
  pause: "Anhalten",
  pausePreview:
    "Läufe halten nach dem jetzigen Gast an und gehen weiter, wenn Sie die Kampagne aktivieren. Läufe, die dazwischen geplant waren, fallen aus.",
  withdraw: "Zurück zum Entwurf",
  withdrawPreview: "Sie kann nicht laufen, bis Sie sie aktivieren. Gäste behalten, was sie bekommen haben.",
  test: "Mit einem Gast testen",
  testSubmit: "Geben",
  testGuest: "Gast",
  testAgreed: "Das ist mein eigenes Konto, oder der Gast ist einverstanden",
  testPreview: (gift) =>
    `Der Gast bekommt wirklich ${gift}, als Test gekennzeichnet. Es zählt in keiner Auswertung, Grenze und keinem Lauf der Kampagne.`,
  testPreviewOf: (guest, gift) =>
    `${guest} bekommt wirklich ${gift}, als Test gekennzeichnet. Es zählt in keiner Auswertung, Grenze und keinem Lauf der Kampagne.`,
  run: "Jetzt starten",
  runs: "Läufe",
  runSize: (segment, n, people) => `„${segment}“ hat zurzeit ${n} ${people}.`,
  runSkips: {
    already_reached: (n, shown) =>
      `${shown} ${count(n, "hat", "haben")} es schon bekommen oder ${count(n, "war", "waren")} in der Kontrollgruppe.`,
    frequency_reached: (n, shown) =>
      `${shown} ${count(n, "hat", "haben")} es so oft bekommen, wie ein Gast es darf, oder ${count(n, "war", "waren")} so oft in der Kontrollgruppe.`
  },
  runHoldout: (percent, n) => `${percent} der übrigen, etwa ${n}, kommen in die Kontrollgruppe und bekommen nichts.`,
  runNobody: "Zurzeit bekommt niemand etwas.",
  runRewards: (about, n, reward) => `${about} ${n} × „${reward}“ werden vergeben.`,
  runCredits: (about, n, amount, sum, unit) =>
    `${about} ${n} × ${amount} ${unit} werden gutgeschrieben: ${sum} ${unit}.`,
  about: "Etwa",
  upTo: "Bis zu",
  runOnce:
    "Sonst werden Gäste übersprungen, die ein früherer Start von Hand erreicht hat. Die Grenze je Gast gilt in jedem Fall.",
  runLimit: (limits) => `Er endet an der Grenze über alle Läufe: ${limits}.`,
  runAgain: "Auch Gäste, die ein früherer Lauf erreicht hat",
  noRuns: "Sie ist noch nicht gelaufen.",
  started: "Begonnen",
  how: "Wie",
  byHand: "Von Hand",
  keyed: "Von Hand, wiederholt",
  bySchedule: (at) => `Nach Zeitplan, ${at}`,
  runStatuses: { running: "Läuft", paused: "Angehalten", completed: "Beendet" },
  limitReached: "An der Grenze beendet.",
  selected: "Ausgewählt",
  issued: "Vergeben",
  skipped: "Übersprungen",
  failed: "Fehlgeschlagen",
  heldOut: "Kontrollgruppe",
  running: "Ein Lauf ist noch nicht beendet",
  progress: "Fortschritt",
  progressOf: (done, of, shown) => `${done} von ${shown} ${count(of, "Gast", "Gästen")} erledigt`,
  runTitle: (at) => `Lauf vom ${at}`,
  outcomes: "Ergebnis je Gast",
  outcomesDeleted:
    "Die Kampagne ist lange beendet: Aufgeführt sind nur noch Gäste, die etwas bekamen oder in der Kontrollgruppe waren. Die Zahlen bleiben.",
  allOutcomes: (n) => `Alle (${n})`,
  outcomeOf: (outcome, n) => `${outcome} (${n})`,
  noOutcomes: "Noch kein Gast erreicht.",
  outcome: "Ergebnis",
  why: "Warum",
  outcomesOf: { issued: "Vergeben", skipped: "Übersprungen", failed: "Fehlgeschlagen", holdout: "Kontrollgruppe" },
  codes: {
    already_reached: "hat es schon bekommen oder war in der Kontrollgruppe",
    frequency_reached: "hat es oft genug bekommen oder war oft genug in der Kontrollgruppe",
    limit_reached: "die Grenze war erreicht",
    member_merged: "wurde mit einem anderen Gast zusammengelegt",
    member_inactive: "ist gesperrt oder beendet",
    out_of_stock: "die Prämie ist aufgebraucht",
    not_found: "die Prämie ist nicht mehr im Programm"
  },
  report: "Ergebnisse",
  noReport: "Ergebnisse gibt es nach dem ersten Lauf.",
  targeted: (n, people) => `${n} ${people} ${n === "1" ? "hat" : "haben"} es bekommen.`,
  did: (n) => count(n, "war", "waren"),
  converted: (n, rate, span) =>
    `Davon ${n === "1" ? "hat" : "haben"} ${n} (${rate}) innerhalb von ${inDays(span)} bestellt.`,
  conversions: (n, shown, value) =>
    `${shown} ${count(n, "Bestellung", "Bestellungen")} im Wert von ${value}, abzüglich Erstattungen.`,
  noConversions: "Bisher zählt keine Bestellung.",
  held: (n, people, did, converted, rate) =>
    `${n} ${people} ${did} in der Kontrollgruppe; davon ${converted === "1" ? "hat" : "haben"} ${converted} (${rate}) in derselben Zeit bestellt.`,
  noHeld:
    "Es gibt keine Kontrollgruppe zum Vergleich. Deshalb kann niemand sagen, was die Kampagne bewirkt hat: Vielleicht hätten die Gäste auch so bestellt.",
  noEffect: "Nicht die Wirkung der Kampagne: Es gibt keine Kontrollgruppe",
  shareOf: (n, share) => `${n} (${share})`,
  runsOf: (name, day) => `${name} Läufe ${day}`,
  resultsOf: (name, day) => `${name} Ergebnisse ${day}`,
  file: { figure: "Kennzahl", value: "Wert", unit: "Einheit", note: "Anmerkung", points: "Prozentpunkte" },
  lift: "Wirkung",
  liftMore: (points) => `${points} Prozentpunkte mehr als in der Kontrollgruppe`,
  liftLess: (points) => `${points} Prozentpunkte weniger als in der Kontrollgruppe`,
  liftSame: "Genauso wie in der Kontrollgruppe",
  liftUnknown: "noch zählt keine Bestellung",
  liftNobody: "noch wurde niemand erreicht",
  liftFew: "zu wenige für eine Aussage",
  liftNeeds: (n) => `Für einen Vergleich sind ${n} erreichte Gäste und ${n} in der Kontrollgruppe nötig.`,
  liftRange: (low, high) =>
    `Mit 95 % Sicherheit liegt der wahre Unterschied zwischen ${low} und ${high} Prozentpunkten.`,
  liftChance: "Das kann Zufall sein.",
  figures: {
    targeted: "Erreichte Gäste",
    rewards: "Vergebene Prämien",
    used: "Verwendete Prämien",
    points: (unit) => `Vergeben: ${unit}`,
    cost: "Wert der Punkte",
    converted: "Haben bestellt",
    conversions: "Bestellungen",
    value: "Zugerechneter Umsatz",
    rate: "Anteil mit Bestellung",
    heldRate: "Anteil mit Bestellung in der Kontrollgruppe"
  }
}

export const result: Translation["result"] = {
  title: "Was Kampagnen kosteten und brachten",
  hint: "Die Kosten sind die vergebenen Punkte zum Punktwert des Programms und die verwendeten Prämien. Umsatz ist, was die Erreichten in der Zeit ausgaben, die die Kampagne festlegt, abzüglich Erstattungen.",
  newest: (n) => `Die neuesten ${n} Kampagnen.`,
  name: "Kampagne",
  reached: "Erreichte Gäste",
  cost: "Kosten",
  revenue: "Umsatz",
  held: "Umsatz der Kontrollgruppe",
  brought: "Gebracht",
  given: "Vergebene Prämien",
  used: "Verwendete Prämien",
  points: "Vergebene Punkte",
  orders: "Bestellungen",
  heldOrders: "Bestellungen der Kontrollgruppe",
  note: "Hinweis",
  usedOf: (used, n, given) => `${used} von ${given} ${count(n, "Prämie", "Prämien")} verwendet`,
  pointsGiven: (n, points) => `${points} ${count(n, "Punkt", "Punkte")}`,
  lacksPoints: {
    value: "für Punkte ist kein Wert festgelegt",
    account: "Punkte anderer Konten haben keinen Geldwert"
  },
  lacksRewards: (n, shown) =>
    `für ${shown} ${count(n, "verwendete Prämie", "verwendete Prämien")} ist kein Wert festgelegt`,
  ordersOf: (n, shown) => `${shown} ${count(n, "Bestellung", "Bestellungen")}`,
  nobody: "noch niemand erreicht",
  noHoldout: "lässt sich nicht sagen: Es gibt keine Kontrollgruppe",
  few: (n) => `lässt sich nicht sagen: Ein Vergleich braucht ${n} Erreichte und ${n} in der Kontrollgruppe`,
  each: (each, held) => `${each} je Gast, in der Kontrollgruppe ${held}`,
  chance: "kann Zufall sein",
  none: "Noch keine Kampagne hat etwas vergeben"
}

/** The German texts of what the contract says of the fields of a programme. */
import type { Translation } from "../../app/Translation.ts"

export const note: Translation["note"] = {
  "A published programme, including the parts that tills do not see.":
    "Ein veröffentlichtes Programm mit den Teilen, die Kassen nicht sehen.",
  "The programme's id.": "Die ID des Programms.",
  "Its name, for guests.": "Sein Name, für Gäste.",
  "A sentence that describes it.": "Ein Satz, der es beschreibt.",
  "The currency of all its orders and rewards.": "Die Währung aller Bestellungen und Prämien.",
  "How spend earns.": "Wie Umsatz sammelt.",
  "The rate at which the primary account earns by spend.": "Der Satz, zu dem das Hauptkonto nach Umsatz sammelt.",
  "The primary account's unit.": "Die Einheit des Hauptkontos.",
  "Units that each `spend` earns.": "So viele Einheiten gibt jeder `spend`.",
  "The eligible spend that earns `amount`.": "Der anrechenbare Umsatz, der `amount` gibt.",
  "Orders with less eligible spend earn nothing by spend.":
    "Bestellungen mit weniger anrechenbarem Umsatz sammeln nichts nach Umsatz.",
  "Only orders of these channels earn by spend.": "Nur Bestellungen über diese Kanäle sammeln nach Umsatz.",
  "Points are rounded down, once for the whole order.": "Punkte werden abgerundet, einmal für die ganze Bestellung.",
  "Lines and tenders that do not count as eligible spend.": "Positionen und Zahlungen, die nicht als Umsatz zählen.",
  "Products that earn nothing.": "Produkte, die nichts sammeln.",
  "Lines with one of these categories earn nothing.": "Positionen mit einer dieser Kategorien sammeln nichts.",
  "Lines with one of these tags earn nothing.": "Positionen mit einem dieser Etiketten sammeln nichts.",
  "Lines of these kinds earn nothing.": "Positionen dieser Arten sammeln nichts.",
  "Amounts paid with these tenders, such as `loyalty`, earn nothing; absent: every tender earns.":
    "Mit diesen Zahlungsarten, zum Beispiel `loyalty`, Bezahltes sammelt nichts; ohne Angabe sammelt jede.",
  "By which time an order counts in a tier period: the posting's (default), or its own within `limits.late_order_hours`.":
    "Nach welcher Zeit eine Bestellung in einem Zeitraum der Stufen zählt: der Buchung (üblich) oder ihrer eigenen, innerhalb von `limits.late_order_hours`.",
  "The accounts that every member has, exactly one of them primary.":
    "Die Konten, die jeder Gast hat, genau eines davon das Hauptkonto.",
  "The account's unit; a programme has one account of a unit.":
    "Die Einheit des Kontos; ein Programm hat je Einheit ein Konto.",
  "True for exactly one account, the default of requests without a unit.":
    "Bei genau einem Konto „ja“: Es gilt für Anfragen ohne Einheit.",
  "The unit's name for guests.": "Der Name der Einheit für Gäste.",
  "How each account earns; absent: the primary by `earning.rate`.":
    "Wie jedes Konto sammelt; ohne Angabe das Hauptkonto nach `earning.rate`.",
  "The account that earns.": "Das Konto, das sammelt.",
  "By eligible spend, or a fixed amount for each order.":
    "Nach anrechenbarem Umsatz oder eine feste Menge je Bestellung.",
  "Points that each `spend`, or each order, earns.": "So viele Punkte gibt jeder `spend` oder jede Bestellung.",
  "Whether the tier's multiplier applies to this account.": "Ob das Vielfache der Stufe für dieses Konto gilt.",
  "The eligible spend that earns `amount`; present only for mode `spend`.":
    "Der anrechenbare Umsatz, der `amount` gibt; nur beim Sammeln nach Umsatz.",
  "Figures that are counted for each member.": "Zahlen, die für jeden Gast gezählt werden.",
  "The metric's id, unique in the programme.": "Die ID der Kennzahl, eindeutig im Programm.",
  "Its name, for operators.": "Ihr Name, für das Team.",
  "The unit that it counts.": "Die Einheit, die sie zählt.",
  "The metric's meaning, in a sentence.": "Was die Kennzahl bedeutet, in einem Satz.",
  "The counted figure: the balance, everything ever earned, or the points that qualify in the tier period.":
    "Was gezählt wird: der Stand, alles je Gesammelte oder die Punkte, die im Jahr der Stufe zählen.",
  "The tiers, the lowest with a minimum of 0; may be empty.":
    "Die Stufen, die niedrigste mit dem Minimum 0; es kann keine geben.",
  "The tier's id, unique in the programme.": "Die ID der Stufe, eindeutig im Programm.",
  "The metric that decides who is in the tier; all tiers share one.":
    "Die Kennzahl, die entscheidet, wer in der Stufe ist; alle Stufen haben dieselbe.",
  "The metric's amount from which a member is in the tier; 0 for the lowest.":
    "Ab so viel ist ein Gast in der Stufe; 0 für die niedrigste.",
  "Benefits of the tier besides points.": "Vorteile der Stufe neben den Punkten.",
  "The benefit's id.": "Die ID des Vorteils.",
  "The programme's own data about the benefit.": "Eigene Daten des Programms zum Vorteil.",
  "Multiplies what members of the tier earn, in basis points; absent: 10,000, once.":
    "Vervielfacht, was Gäste der Stufe sammeln; ohne Angabe: 100, einmal.",
  "When tiers are reset; absent: never.": "Wann Stufen neu beginnen; ohne Angabe: nie.",
  "The metric that is counted within a period.": "Die Kennzahl, die innerhalb eines Zeitraums gezählt wird.",
  "When a period starts. Then metric and tier are reset; balances are not.":
    "Wann ein Zeitraum beginnt. Dann beginnen Kennzahl und Stufe neu, Punktestände nicht.",
  "Periods last a year.": "Zeiträume dauern ein Jahr.",
  "Month in which a period starts.": "Der Monat, in dem ein Zeitraum beginnt, 1 bis 12.",
  "Day of that month; 29 February is 1 March in other years.":
    "Der Tag in diesem Monat; der 29. Februar ist in anderen Jahren der 1. März.",
  "IANA time zone in which that day begins.": "Die Zeitzone, in der dieser Tag beginnt.",
  "Entries before this date, in the period's zone, do not count.":
    "Buchungen vor diesem Tag, in der Zone des Zeitraums, zählen nicht.",
  "How long a tier lasts that a period's figures reach: until its end, or through the following one; absent: `period`.":
    "Wie lange eine Stufe gilt, die in einem Zeitraum erreicht wurde: bis zu seinem Ende oder bis zum Ende des folgenden; ohne Angabe: `period`.",
  "When lots of `points` and `credits` expire; absent: never.":
    "Wann Posten von `points` und `credits` verfallen; ohne Angabe: nie.",
  "Each lot expires on its own, counted from when it was earned; or those of an account together, from its last accrual.":
    "Jeder Posten verfällt für sich, gezählt ab dem Sammeln; oder alle eines Kontos zusammen, ab dem letzten Sammeln.",
  "Days after which they expire, of 24 hours if `at` is `instant`. Either these or `months`.":
    "Tage, nach denen sie verfallen, zu 24 Stunden, wenn `at` „genau dann“ ist. Entweder diese oder `months`.",
  "Months after which they expire, on the same day or the month's last.":
    "Monate, nach denen sie verfallen, am selben Tag oder am letzten des Monats.",
  "At that instant, or when its day, month or year in the programme's zone is over; for `after_earned` alone; absent: `instant`.":
    "Genau dann, oder wenn der Tag, Monat oder das Jahr in der Zone des Programms vorbei ist; nur bei `after_earned`; ohne Angabe: `instant`.",
  "How many days before that a warning is due, each less than the shortest life.":
    "Wie viele Tage vorher eine Erinnerung fällig ist, jede kürzer als die kürzeste Dauer.",
  "The rewards that members can redeem.": "Die Prämien, die Gäste einlösen können.",
  "The reward's id, unique in the programme.": "Die ID der Prämie, eindeutig im Programm.",
  "The cost, from the member's account.": "Die Kosten, vom Konto des Gastes.",
  "The account's unit.": "Die Einheit des Kontos.",
  "A whole number of that unit.": "Eine ganze Zahl dieser Einheit.",
  "The effect on the order.": "Was sie an der Bestellung bewirkt.",
  "Money off the order or a line.": "Rabatt auf die Bestellung oder eine Position.",
  "Whether the discount is on the order or on lines.": "Ob der Rabatt auf die Bestellung oder auf Positionen geht.",
  "The discount of the guest, not negative.": "Der Rabatt des Gastes, nicht negativ.",
  "How the discount is spread, at least one part.": "Wie der Rabatt verteilt wird, mindestens ein Teil.",
  "The line of this part; absent: the whole order.": "Die Position dieses Teils; ohne Angabe: die ganze Bestellung.",
  "This part of the discount, not negative; the parts add up to the discount's amount.":
    "Dieser Teil des Rabatts, nicht negativ; die Teile ergeben zusammen den Rabatt.",
  "Items that cost the guest nothing.": "Artikel, die den Gast nichts kosten.",
  "Products that qualify; the caller picks one of them or of the categories.":
    "Mögliche Produkte; die Kasse wählt eines davon oder aus den Kategorien.",
  "Categories that qualify.": "Mögliche Kategorien.",
  "Most free items.": "Höchstens so viele Gratisartikel, mindestens 1.",
  "Highest total value of the free items; the reward's value for funding.":
    "Höchster Gesamtwert der Gratisartikel; danach richtet sich, wer wie viel bezahlt.",
  "An effect that only the caller's system interprets.": "Eine Wirkung, die nur Ihr System versteht.",
  "The caller's name for the effect.": "Ihr Name für die Wirkung.",
  "Any JSON for the caller's system, returned unchanged.": "Beliebiges JSON für Ihr System, unverändert zurückgegeben.",
  "Who pays for it.": "Wer sie bezahlt.",
  "The party that pays.": "Die Partei, die bezahlt.",
  "The kind of party.": "Die Art der Partei.",
  "Its share in basis points; a reward's shares total 10,000.": "Ihr Anteil; alle Anteile einer Prämie ergeben 100.",
  "Its part of the reward's value, not negative; absent for a `custom` effect, which has no value.":
    "Ihr Teil vom Wert der Prämie, nicht negativ; leer bei einer Wirkung `custom`, die keinen Wert hat.",
  "Address of a picture, https.": "Adresse eines Bildes, https.",
  "The first instant at which it can be reserved.": "Der erste Zeitpunkt, zu dem sie vorgemerkt werden kann.",
  "The last instant at which it can be reserved.": "Der letzte Zeitpunkt, zu dem sie vorgemerkt werden kann.",
  "The programme's own data about the reward.": "Eigene Daten des Programms zur Prämie.",
  "The programme's own data.": "Eigene Daten des Programms.",
  "The country of the programme's guests (ISO 3166), with which an import reads telephone numbers without one; absent: they need one.":
    "Das Land der Gäste in zwei Buchstaben, zum Beispiel DE. Ein Import liest damit Telefonnummern ohne Ländervorwahl.",
  "True: a rehearsal, in which guests are told nothing: no warnings, and connectors and campaigns rest; absent: it is none.":
    "In einem Probelauf erfahren Gäste nichts: keine Erinnerungen, Konnektoren und Kampagnen ruhen.",
  "IANA time zone of the programme's days, weeks and months; absent: the zone of `tier_policy`, else UTC.":
    "Zeitzone der Tage, Wochen und Monate des Programms; ohne Angabe: die von `tier_policy`, sonst UTC.",
  "How long reservations and evaluations last, and how much an order can use.":
    "Wie lange Vormerkungen und Schätzungen gelten, und wie viel eine Bestellung verwenden kann.",
  "Seconds that a reservation holds; absent: 120.": "So viele Sekunden hält eine Vormerkung; ohne Angabe: 120.",
  "Seconds that an evaluation is shown as valid; absent: 300.":
    "So viele Sekunden gilt eine Schätzung; ohne Angabe: 300.",
  "Most rewards that a member can use on an order; absent: no limit.":
    "Höchstens so viele Prämien kann ein Gast bei einer Bestellung verwenden; ohne Angabe: keine Grenze.",
  "Age in hours up to which an order counts by its `placed_at`; older ones and pre-orders by the service's clock. Absent: 72.":
    "So viele Stunden alt darf eine Bestellung sein, um nach `placed_at` zu zählen; ältere und Vorbestellungen zählen nach der Uhr des Dienstes. Ohne Angabe: 72.",
  "Most that an order earns on an account, promotions included; absent: no limit.":
    "So viel sammelt eine Bestellung höchstens auf einem Konto, mit Aktionen; ohne Angabe: keine Grenze.",
  "Orders of a member that earn in a day of the programme's zone; absent: no limit.":
    "So viele Bestellungen eines Gastes sammeln an einem Tag in der Zone des Programms; ohne Angabe: keine Grenze.",
  "Larger orders are refused with `invalid_order`; absent: no limit.":
    "Größere Bestellungen werden abgelehnt; ohne Angabe: keine Grenze.",
  "What points of the primary account are worth in money, for figures alone; absent: figures tell no money of points.":
    "Was Punkte des Hauptkontos in Geld wert sind, nur für die Zahlen; ohne Angabe nennen sie keinen Geldwert.",
  "So many points.": "So viele Punkte, 1 bis 1.000.000.",
  "What they are worth, above 0, in the programme's currency.":
    "Was sie wert sind, über 0, in der Währung des Programms.",
  "Orders without a guest are kept, so that a guest can claim them; absent: they are not kept.":
    "Bestellungen ohne Gast werden behalten, damit ein Gast sie einreichen kann; ohne Angabe: nicht.",
  "Days for which an order without a guest can be claimed; absent: 14.":
    "So viele Tage kann eine Bestellung ohne Gast eingereicht werden; ohne Angabe: 14.",
  "Most orders that a member can claim in a day of the programme's zone: staff may collect receipts; absent: 2.":
    "So viele Bestellungen kann ein Gast an einem Tag in der Zone des Programms einreichen, denn auch das Personal könnte Bons sammeln; ohne Angabe: 2.",
  "Address of the page where guests enter codes, `https`; the code follows behind `#`; absent: orders have a code alone.":
    "Adresse der Seite, auf der Gäste Codes eingeben, https; der Code folgt nach #. Ohne Angabe haben Bestellungen nur einen Code.",
  "Guests have a page of their own, `/my/{program_id}`; absent: they have none.":
    "Gäste haben eine eigene Seite; ohne Angabe: keine.",
  "The page's name, which guests read, 1 to 60 characters.": "Der Name der Seite, den Gäste lesen, 1 bis 60 Zeichen.",
  "The programme's colour, `#rrggbb`. The page writes on it in black or white, and with it only where it can be read.":
    "Die Farbe des Programms, zum Beispiel #1a7f5a. Die Seite schreibt darauf in Schwarz oder Weiß, und mit ihr nur, wo es lesbar ist.",
  "The languages that guests can choose; the first is for those whose own is not there.":
    "Die Sprachen, die Gäste wählen können; die erste ist für alle, deren eigene fehlt.",
  "Pages that it leads to, such as menu, imprint and privacy; at most 5.":
    "Seiten, zu denen sie führt, wie Speisekarte, Impressum und Datenschutz; höchstens 5.",
  "Most codes to telephones in a day of the programme's zone: each one costs money; absent: 500.":
    "So viele Codes an Telefone an einem Tag in der Zone des Programms, denn jeder kostet Geld; ohne Angabe: 500.",
  "What guests read, 1 to 40 characters.": "Was Gäste lesen, 1 bis 40 Zeichen.",
  "Where it leads, `https`.": "Wohin er führt, https.",
  "Rules for all redemptions; absent: none.": "Regeln für jedes Einlösen; ohne Angabe: keine.",
  "With less available on the primary account, no reward that costs its units can be reserved; absent: 0.":
    "Ist weniger auf dem Hauptkonto verfügbar, kann keine Prämie vorgemerkt werden, die davon kostet; ohne Angabe: 0.",
  "Guests pay part of an order with points; absent: each reward is reserved once at a time.":
    "Gäste bezahlen einen Teil der Bestellung mit Punkten; ohne Angabe ist jede Prämie nur einmal zugleich vorgemerkt.",
  "The discount that can be reserved several times at once.":
    "Der Rabatt, der mehrmals zugleich vorgemerkt werden kann.",
  "The most that it takes off an order's total, in basis points.":
    "So viel nimmt er höchstens von der Summe der Bestellung.",
  "What orders earn beside the base, at most 100.": "Was Bestellungen neben dem Üblichen sammeln, höchstens 100.",
  "The promotion's id, unique in the programme.": "Die ID der Aktion, eindeutig im Programm.",
  "A sentence that describes it, for guests.": "Ein Satz, der sie beschreibt, für Gäste.",
  "False: it gives nothing, and keeps its counts; absent: true.":
    "Nein: Sie gibt nichts und behält ihre Zählung; ohne Angabe: ja.",
  "What it gives: exactly one of `multiply_bps`, `add` and `add_per_item`.":
    "Was sie gibt: genau eines von `multiply_bps`, `add` und `add_per_item`.",
  "Base points by this factor, in basis points: 20,000 is double.":
    "Die üblichen Punkte mal so viel: 200 ist das Doppelte.",
  "Points once an order.": "Punkte einmal je Bestellung.",
  "Points for each whole unit of quantity of the lines that count; without `on`, of all eligible lines.":
    "Punkte für jeden ganzen Artikel der Positionen, die zählen; ohne `on` aller, die sammeln.",
  "The account that gets it; absent: the primary one.": "Das Konto, das sie bekommt; ohne Angabe: das Hauptkonto.",
  "Whether the tier's multiplier applies to `add` and `add_per_item`; absent: false. `multiply_bps` multiplies the base, which has it.":
    "Ob das Vielfache der Stufe für `add` und `add_per_item` gilt; ohne Angabe: nein. `multiply_bps` vervielfacht das Übliche, in dem es schon steckt.",
  "When the order is placed; all given parts must hold. Absent: always.":
    "Wann bestellt wird; alle genannten Teile müssen zutreffen. Ohne Angabe: immer.",
  "The first instant; a date is its first instant.": "Der erste Zeitpunkt; ein Tag beginnt mit seinem ersten.",
  "The end, which is not part of it; a date counts whole.": "Das Ende, das nicht mehr dazugehört; ein Tag zählt ganz.",
  "Windows of each week; one of them must hold.": "Zeiten in jeder Woche; eine davon muss zutreffen.",
  "The days on which the window begins.": "Die Tage, an denen die Zeit beginnt.",
  "The first minute.": "Die erste Minute.",
  "The end, which is not part of it; earlier than `from`: the window goes past midnight.":
    "Das Ende, das nicht mehr dazugehört; früher als `from`: Die Zeit geht über Mitternacht.",
  "The days; one of them must hold. A window past midnight is of its first day.":
    "Die Tage; einer davon muss zutreffen. Eine Zeit über Mitternacht gehört zu ihrem ersten Tag.",
  "Where and how it is placed. Absent: everywhere.": "Wo und wie bestellt wird. Ohne Angabe: überall.",
  "Only orders of these locations.": "Nur Bestellungen dieser Filialen.",
  "An id in the spelling of its own system.": "Eine ID in der Schreibweise ihres Systems.",
  "Only orders of these channels.": "Nur Bestellungen über diese Kanäle.",
  "Only these lines count, if they are eligible. Absent: all eligible lines.":
    "Nur diese Positionen zählen, soweit sie sammeln. Ohne Angabe: alle, die sammeln.",
  "Lines with one of these products.": "Positionen mit einem dieser Produkte.",
  "Lines with one of these categories.": "Positionen mit einer dieser Kategorien.",
  "Lines with one of these tags.": "Positionen mit einem dieser Etiketten.",
  "Which members. Absent: all.": "Welche Gäste. Ohne Angabe: alle.",
  "Members of these tiers.": "Gäste dieser Stufen.",
  "Opaque and stable within the owning system.": "Beliebig und im eigenen System unveränderlich.",
  "Only an order that earns by the base, with none of the member before it that did so and is not closed.":
    "Nur die erste Bestellung eines Gastes, die sammelt und nicht erstattet ist.",
  "Members who joined at most so many days ago.": "Gäste, die seit höchstens so vielen Tagen dabei sind.",
  "The spend of the lines that count, at least.": "Der Umsatz der Positionen, die zählen, mindestens.",
  "How often it gives.": "Wie oft sie gibt.",
  "How often a member gets it.": "Wie oft ein Gast sie bekommt.",
  "Most orders of a member that it gives to.": "Höchstens so viele Bestellungen eines Gastes bekommen sie.",
  "In which time: a day, week (from Monday) or month of the programme's zone, or ever.":
    "In welcher Zeit: an einem Tag, in einer Woche (ab Montag) oder einem Monat in der Zone des Programms, oder überhaupt.",
  "What members can complete for a reward, at most 10.": "Was Gäste für eine Prämie erfüllen können, höchstens 10.",
  "The challenge's id, unique in the programme.": "Die ID der Aufgabe, eindeutig im Programm.",
  "False: nothing counts and nothing is given; progress stays. Absent: true.":
    "Nein: Nichts zählt und nichts wird gegeben; der Fortschritt bleibt. Ohne Angabe: ja.",
  "What is counted, and how much fills it.": "Was gezählt wird, und wie viel sie erfüllt.",
  "So many orders.": "So viele Bestellungen.",
  "Orders on so many days of a week, at most 7, or of a month.":
    "Bestellungen an so vielen Tagen einer Woche, höchstens 7, oder eines Monats.",
  "So many whole units of the lines in `on`.": "So viele ganze Artikel der Positionen in `on`.",
  "So much spend of the lines that count, in minor units.":
    "So viel Umsatz der Positionen, die zählen, in der kleinsten Einheit der Währung.",
  "An order in each of so many weeks in a row.": "Eine Bestellung in jeder von so vielen Wochen in Folge.",
  "It starts anew each week (from Monday), month or year of the programme's zone. Absent: it never does.":
    "Sie beginnt jede Woche (ab Montag), jeden Monat oder jedes Jahr in der Zone des Programms neu. Ohne Angabe: nie.",
  "Where and how the order is placed. Absent: everywhere.": "Wo und wie bestellt wird. Ohne Angabe: überall.",
  "An order counts from this spend of the lines that count.":
    "Eine Bestellung zählt ab diesem Umsatz der Positionen, die zählen.",
  "True: it completes as often as it fills. Absent: once in its time.":
    "Ja: Sie kann immer wieder erfüllt werden. Ohne Angabe: einmal in ihrer Zeit.",
  "What a member gets who completes it.": "Was ein Gast bekommt, der sie erfüllt.",
  "The reward that is issued.": "Die Prämie, die vergeben wird.",
  "Seconds until the issued reward expires; absent: never.":
    "Sekunden, bis die vergebene Prämie abläuft; ohne Angabe: nie.",
  "`best` (default): on an account the one promotion that gives most; `all`: each of them.":
    "`best` (üblich): auf einem Konto die eine Aktion, die am meisten gibt; `all`: jede von ihnen.",
  "Issues a reward for each full card; absent: there is no card.":
    "Vergibt für jede volle Karte eine Prämie; ohne Angabe: keine Karte.",
  "The account whose credits fill the card.": "Das Konto, dessen Gutschriften die Karte füllen.",
  "Credits of a full card.": "So viele Gutschriften hat eine volle Karte.",
  "The reward that each full card issues.": "Die Prämie, die jede volle Karte vergibt.",
  "True: an adjustment of −`threshold` follows each full card.":
    "Ja: Nach jeder vollen Karte folgt eine Korrektur um −`threshold`."
}

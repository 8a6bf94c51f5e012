/** The German texts of why the service refuses, behind that of the code. */
import type { Translation } from "../../app/Translation.ts"

export const detail: Translation["detail"] = {
  "{1} can be closed from {2} ({3}).": "{1} kann ab {2} ({3}) abgeschlossen werden.",
  "Members with something that was due in {1} or before and is not posted yet: {2}. It is points, rewards or holds that end. The service posts them by itself, unless writes are frozen. Ask again then.":
    "Gäste mit etwas, das im Monat {1} oder davor fällig war und noch nicht gebucht ist, etwa Punkten, die verfallen: {2}. Der Dienst bucht es von selbst innerhalb einer Minute: Versuchen Sie es dann noch einmal. Bleibt es so, sind Buchungen gesperrt: Die Seite Dienst zeigt es, und wer darf, erlaubt sie dort wieder.",
  "Members with something that was due in {1} or before and is not posted yet: {2} or more. It is points, rewards or holds that end. The service posts them by itself, unless writes are frozen. Ask again then.":
    "Gäste mit etwas, das im Monat {1} oder davor fällig war und noch nicht gebucht ist, etwa Punkten, die verfallen: {2} oder mehr. Der Dienst bucht es von selbst: Versuchen Sie es später noch einmal. Bleibt es so, sind Buchungen gesperrt: Die Seite Dienst zeigt es, und wer darf, erlaubt sie dort wieder.",
  "Months are closed in order: the next one is {1}.":
    "Monate werden der Reihe nach abgeschlossen: Der nächste ist {1}.",
  "{1} is not closed.": "{1} ist nicht abgeschlossen.",
  "The sums of finance are counted up to {1}; they go on by themselves. Ask again later. Where the next records are archived, they need the folder on the nodes, lotbook journal restore, or lotbook journal rebuild --from.":
    "Die Bücher sind bis {1} gezählt und zählen von selbst weiter: Versuchen Sie es später noch einmal. Bleiben sie dort stehen, sind die nächsten Buchungen archiviert: Wer den Dienst betreibt, holt sie mit lotbook journal restore zurück.",
  "It is being given by {1}.": "{1} gibt es gerade.",
  "It was declined by {1}.": "{1} hat es abgelehnt.",
  "It was given by {1}.": "{1} hat es gegeben.",
  "Nobody decided within 24 hours. Who asked can ask again.":
    "Innerhalb von 24 Stunden hat niemand entschieden. Wer gefragt hat, kann noch einmal fragen.",
  "The guest has changed since. Look again at what it would do.":
    "Der Gast hat sich seitdem geändert. Sehen Sie noch einmal nach, was es bewirken würde.",
  "It has changed since. Look again at what it would do.":
    "Es hat sich seitdem geändert. Sehen Sie noch einmal nach, was es bewirken würde.",
  "It is in force already.": "Es gilt schon.",
  "It was put in force by {1}.": "{1} hat es in Kraft gesetzt.",
  "Nobody decided within 14 days. Who handed it over can hand it over again.":
    "Innerhalb von 14 Tagen hat niemand entschieden. Wer es übergeben hat, kann es noch einmal übergeben.",
  "Only people hand work over.": "Nur Personen übergeben Arbeit.",
  "The campaign is archived.": "Die Kampagne ist archiviert.",
  "The campaign was deleted.": "Die Kampagne wurde gelöscht.",
  "{1} may not prepare this any more. Send it back.": "{1} darf das nicht mehr vorbereiten. Geben Sie es zurück.",
  "The campaign would never run: its end or its schedule is over. Change it first.":
    "Die Kampagne würde nie laufen: Ihr Ende oder ihr Zeitplan ist vorbei. Ändern Sie sie zuerst.",
  "There is no handover {1}.": "Es gibt keine Übergabe {1}.",
  "Version {1} is in force since. Carry the change over to it first.":
    "Seitdem wurde Version {1} veröffentlicht. Öffnen Sie die Änderung im Editor, der sie auf diese Version überträgt.",
  "You have handed over {1} already. Wait for answers first.":
    "Sie haben {1} Dinge übergeben. Warten Sie zuerst auf Antworten.",
  "What the import did is deleted by now, so it cannot be taken back.":
    "Was der Import getan hat, ist inzwischen gelöscht: Er lässt sich nicht mehr zurücknehmen.",
  "The import has not ended. Send its rows again, so that it does, and take it back then.":
    "Der Import ist nicht zu Ende. Importieren Sie die Datei noch einmal, damit er zu Ende kommt, und nehmen Sie ihn dann zurück.",
  "An earlier version made the import, and did not note what it did, so it cannot be taken back.":
    "Eine frühere Version hat diesen Import gemacht und nicht festgehalten, was er getan hat: Er lässt sich nicht zurücknehmen.",
  "Taking points or rewards back needs the scope points:give.":
    "Um Punkte oder Prämien zurückzunehmen, fehlt Ihnen das Recht, Punkte zu geben.",
  "You may not put this in force yourself.": "Das dürfen Sie nicht selbst in Kraft setzen.",
  "The question is no longer kept.": "Die Frage wird nicht mehr aufbewahrt.",
  "The question was decided by somebody else.": "Jemand anderes hat darüber entschieden.",
  "Only people ask others for gifts.": "Nur Personen bitten andere um Gaben.",
  "There is no question {1}.": "Es gibt keine Frage {1}.",
  "You have {1} open questions. Wait for answers first.":
    "Sie haben {1} offene Fragen. Warten Sie zuerst auf Antworten.",
  "A campaign has a trigger for ever or never.": "Eine Kampagne hat entweder immer einen Auslöser oder nie.",
  "A debit has no expires_at.": "Ein Abzug hat kein Ablaufdatum.",
  "A member cannot be merged into itself.": "Ein Gast kann nicht mit sich selbst zusammengelegt werden.",
  "A reservation is paid with points or with a wallet reward, not with both.":
    "Eine Vormerkung wird entweder mit Punkten oder mit einer bereitliegenden Prämie bezahlt.",
  "A user has at most {1} passkeys; remove one first.":
    "Eine Person hat höchstens {1} Passkeys; entfernen Sie zuerst einen.",
  "A value that must be unique is already in use.": "Ein Wert, der eindeutig sein muss, wird schon verwendet.",
  "A {1} must not raise eligible spend.": "Der Vorgang „{1}“ darf den anrechenbaren Umsatz nicht erhöhen.",
  "Another member has the external id.": "Ein anderer Gast hat diese Kundennummer.",
  "An order is tried for a member with the scope members:read. Leave member_id out.":
    "Für einen bestimmten Gast ist die Berechtigung members:read nötig. Lassen Sie den Gast weg.",
  "Another member has the identity. The rest of the row is imported.":
    "Ein anderer Gast hat diese Kennung. Der Rest der Zeile wird importiert.",
  "Another member has the member id or the external id.": "Ein anderer Gast hat diese Gast-ID oder Kundennummer.",
  "The member has changed since the effects were counted.": "Der Gast hat sich seit der Vorschau geändert.",
  "It would bring about {1} rewards and {2} points; fewer were counted.":
    "Es würde {1} Prämien und {2} Punkte auslösen; gezählt waren weniger.",
  "Member {1} has no reward {2}.": "Gast {1} hat keine Prämie {2}.",
  "The member already has another opening balance. The rest of the row is imported.":
    "Der Gast hat schon einen anderen Anfangsbestand. Der Rest der Zeile wird importiert.",
  "The member has an identity of this type. A further one needs the scope members:write. The rest of the row is imported.":
    "Der Gast hat schon eine Kennung dieser Art. Für eine weitere ist die Berechtigung members:write nötig. Der Rest der Zeile wird importiert.",
  "Another member has the identity.": "Ein anderer Gast hat diese Kennung.",
  "Another programme has a segment {1}; ids are unique in the service.":
    "Ein anderes Programm hat ein Segment {1}; IDs sind im ganzen Dienst eindeutig.",
  "Another service of this database is alive. Stop it and try again.":
    "Ein anderer Dienst dieser Datenbank läuft. Halten Sie ihn an und versuchen Sie es noch einmal.",
  "The member has got the opening balance before, also if it was taken back. It is not given again.":
    "Der Gast hat den Anfangsbestand schon einmal bekommen und bekommt ihn nicht noch einmal, auch wenn er zurückgenommen wurde.",
  "The campaign {1} gives points or rewards to guests who are imported. These roles may import them: {2}.":
    "Die Kampagne „{1}“ gibt importierten Gästen Punkte oder Prämien. Importieren dürfen sie diese Rollen: {2}.",
  "The campaign {1} gives points or rewards by the attribute {2}, which the import sets. These roles may import it: {3}.":
    "Die Kampagne „{1}“ gibt Punkte oder Prämien nach dem Attribut „{2}“, das die Datei setzt. Importieren dürfen sie diese Rollen: {3}.",
  "The campaign {1} gives points or rewards by {2}, which the import sets. These roles may import it: {3}.":
    "Die Kampagne „{1}“ gibt Punkte oder Prämien nach einer Angabe, die die Datei setzt: {2}. Importieren dürfen sie diese Rollen: {3}.",
  "The member exists, and changing it needs the scope members:write. Nothing of the row is imported.":
    "Den Gast gibt es schon, und Ihre Rolle darf Gäste nicht ändern. Von der Zeile wird nichts importiert.",
  "Another member has this e-mail address already.": "Ein anderer Gast hat diese E-Mail-Adresse schon.",
  "Because of them campaigns may give {1} points and {2} rewards, which count for you.":
    "Dadurch können Kampagnen {1} Punkte und {2} Prämien geben, die bei Ihnen mitzählen.",
  "Connector {1} has {2} replays that are not done yet.": "Konnektor {1} sendet noch an {2} Stellen erneut.",
  "Connector {1} sends the codes of one of these programmes already.":
    "Konnektor {1} sendet schon die Codes eines dieser Programme.",
  "Connector {1} is disabled; enable it first.": "Konnektor {1} ist abgeschaltet; schalten Sie ihn zuerst ein.",
  "Issued reward {1} is for reward {2}, not {3}.": "Die vergebene Prämie {1} gehört zur Prämie {2}, nicht zu {3}.",
  "Issued reward {1} is held by reservation {2}.": "Die vergebene Prämie {1} ist vorgemerkt ({2}).",
  "Issued reward {1} is {2}.": "Die vergebene Prämie {1} ist {2}.",
  "It was done before for a member that was merged into this one.":
    "Es wurde schon für einen Gast getan, der mit diesem zusammengelegt wurde.",
  "Member id {1} belongs to another identity.": "Die Gast-ID {1} gehört zu einer anderen Kennung.",
  "Member {1} has no issued reward {2}.": "Gast {1} hat keine vergebene Prämie {2}.",
  "Member {1} has open reservations.": "Gast {1} hat offene Vormerkungen.",
  "Member {1} is closed permanently.": "Die Mitgliedschaft von Gast {1} ist endgültig beendet.",
  "Member {1} is closed.": "Die Mitgliedschaft von Gast {1} ist beendet.",
  "Member {1} is {2}.": "Gast {1} ist {2}.",
  "Member {1} was merged into {2} before.": "Gast {1} wurde schon mit {2} zusammengelegt.",
  "Member {1} was merged into {2}.": "Gast {1} wurde mit {2} zusammengelegt.",
  "Member {1} would have no identity left.": "Gast {1} hätte keine Kennung mehr.",
  "Member {1} would have {2} identities; the limit is {3}.": "Gast {1} hätte {2} Kennungen; die Grenze ist {3}.",
  "No member of programme {1} has the identity.": "Kein Gast des Programms {1} hat diese Kennung.",
  "No passkey is for {1}. Others are for {2}.": "Kein Passkey ist für {1}. Andere sind für {2}.",
  "No provider signs people in here (PROTO_OIDC_ISSUER). Use a passkey.":
    "Hier meldet keine Firmenanmeldung an (PROTO_OIDC_ISSUER). Verwenden Sie einen Passkey.",
  "Nobody reaches further with a token than they do.": "Mit einem Token reicht niemand weiter als selbst.",
  "A node of version {1} runs, which knows no {2}. Replace it first.":
    "Es läuft ein Knoten der Version {1}, der das noch nicht kennt: {2}. Ersetzen Sie ihn zuerst.",
  "No guest is known here by that.": "Damit ist hier kein Gast bekannt.",
  "Several guests have it. Use a card number.": "Mehrere Gäste haben das. Verwenden Sie eine Kartennummer.",
  "The caller is limited to other restaurants.": "Sie sind auf andere Filialen beschränkt.",
  "Nobody grants a token more scopes than their own.": "Niemand gibt einem Token mehr Berechtigungen als die eigenen.",
  "Nobody rotates a token that they could not have issued.":
    "Niemand erneuert ein Token, das er nicht selbst hätte ausstellen dürfen.",
  "Only a paid order accrues; this one is {1}.": "Nur eine bezahlte Bestellung sammelt; diese ist {1}.",
  "Only callers on the service's own machine see and set faults.":
    "Nur wer auf dem Rechner des Dienstes anfragt, sieht und stellt Störungen ein.",
  "Order {1} has no accrual for member {2}.": "Bestellung {1} hat für Gast {2} nichts gesammelt.",
  "Order {1} has no item that reward {2} is for.": "Bestellung {1} hat keinen Artikel, für den Prämie {2} gilt.",
  "Order {1} is {2}; no reward can be reserved for it.":
    "Bestellung {1} ist {2}; dafür kann keine Prämie vorgemerkt werden.",
  "Order {1} was moved to another member before.": "Bestellung {1} wurde schon auf einen anderen Gast übertragen.",
  "Order {1} was refunded in full; nothing is left to correct.":
    "Bestellung {1} wurde ganz erstattet; es gibt nichts mehr zu korrigieren.",
  "Order {1} was refunded in full; nothing is left to move.":
    "Bestellung {1} wurde ganz erstattet; es gibt nichts mehr zu übertragen.",
  "Programme {1} has no campaign {2}.": "Programm {1} hat keine Kampagne {2}.",
  "Programme {1} has no import {2}.": "Programm {1} hat keinen Import {2}.",
  "Programme {1} has no member {2}.": "Programm {1} hat keinen Gast {2}.",
  "Points that are moved in must not have expired.": "Übernommene Punkte dürfen nicht schon verfallen sein.",
  "Rewards that are moved in must not have expired.": "Übernommene Prämien dürfen nicht schon abgelaufen sein.",
  "Programme {1} has no account of {2}.": "Programm {1} hat kein Konto für {2}.",
  "Programme {1} has no tier {2}.": "Programm {1} hat keine Stufe {2}.",
  "Programme {1} has no logo.": "Programm {1} hat kein Logo.",
  "Programme {1} has no reward {2}.": "Programm {1} hat keine Prämie {2}.",
  "Programme {1} has no segment {2}.": "Programm {1} hat kein Segment {2}.",
  "Programme {1} has no version {2}.": "Programm {1} hat keine Version {2}.",
  "Programme {1} was retired.": "Programm {1} wurde stillgelegt.",
  "Programme {1} is a rehearsal: its campaigns rest.": "Programm {1} ist ein Probelauf: Seine Kampagnen ruhen.",
  "Reservation {1} has expired.": "Vormerkung {1} ist abgelaufen.",
  "Reservation {1} is for order {2}, not {3}.": "Vormerkung {1} ist für Bestellung {2}, nicht für {3}.",
  "Reservation {1} is {2}.": "Vormerkung {1} ist {2}.",
  "Reward {1} can only be used for an order.": "Prämie {1} kann nur für eine Bestellung verwendet werden.",
  "Reward {1} costs {2} {3}; {4} are available.": "Prämie {1} kostet {2} {3}; verfügbar sind {4}.",
  "Reward {1} is {2}.": "Prämie {1} ist {2}.",
  "Rewards can be used from {1} {2} on; {3} are available.":
    "Prämien können ab {1} {2} verwendet werden; verfügbar sind {3}.",
  "Somebody with this e-mail address is a user already. Invite that user again, or enable it.":
    "Jemand mit dieser E-Mail-Adresse gehört schon zum Team. Laden Sie diese Person noch einmal ein, oder geben Sie sie frei.",
  "The account has newer records than those that were read.": "Das Konto hat neuere Buchungen als die gelesenen.",
  "The adjustment is in {1}, programme {2} in {3}.": "Die Korrektur ist in {1}, Programm {2} in {3}.",
  "The campaign {1} has a trigger, and no runs.": "Die Kampagne {1} hat einen Auslöser und keine Läufe.",
  "The campaign {1} has no run {2}.": "Die Kampagne {1} hat keinen Lauf {2}.",
  "The campaign {1} is archived.": "Die Kampagne {1} ist archiviert.",
  "The campaign {1} is no draft, or it was active before.":
    "Die Kampagne {1} ist kein Entwurf, oder sie war schon aktiv.",
  "The campaign {1} is of programme {2}.": "Die Kampagne {1} gehört zum Programm {2}.",
  "The campaign {1} {2}.": "Die Kampagne {1}: {2}.",
  "The clock cannot go beyond the year 9999.": "Die Uhr kann nicht über das Jahr 9999 hinaus.",
  "The clock never goes back; it stands at {1}.": "Die Uhr geht nie zurück; sie steht auf {1}.",
  "The company's sign-in does not answer as it should. Try again; the log has the cause.":
    "Die Anmeldung der Firma antwortet nicht, wie sie soll. Versuchen Sie es noch einmal; die Ursache steht im Log.",
  "The company's sign-in gave no valid proof. Sign in again.":
    "Die Anmeldung der Firma gab keinen gültigen Nachweis. Melden Sie sich noch einmal an.",
  "The company's sign-in gives you no role here. Ask who manages it.":
    "Die Anmeldung der Firma gibt Ihnen hier keine Rolle. Fragen Sie, wer sie verwaltet.",
  "The company's sign-in tells no e-mail address. Ask who manages it.":
    "Die Anmeldung der Firma nennt keine E-Mail-Adresse. Fragen Sie, wer sie verwaltet.",
  "The credit would fill {1} stamp cards; the limit is {2} at once.":
    "Die Gutschrift würde {1} Stempelkarten füllen; auf einmal sind {2} erlaubt.",
  "The debit takes {1} {2}; {3} are available.": "Der Abzug nimmt {1} {2}; verfügbar sind {3}.",
  "The definition changes parts that must not change while the programme has members.":
    "Die Fassung ändert Teile, die sich nicht ändern dürfen, solange das Programm Gäste hat.",
  "The event {1} was recorded before under another key.":
    "Das Ereignis {1} wurde schon unter einem anderen Schlüssel aufgezeichnet.",
  "The guest has this order already, as {1}.": "Der Gast hat diese Bestellung schon, als {1}.",
  "The guest {1} has this order, as {2}.":
    "Der Gast {1} hat diese Bestellung, als {2}. Wenn sie diesem Gast gehört, übertragen Sie sie auf der Seite jenes Gastes.",
  "The receipt was added before, with other facts or for another guest: look for order {1}.":
    "Dieser Beleg wurde schon nachgetragen, für einen anderen Gast oder mit anderem Betrag, anderer Zeit oder anderen Produkten. Suchen Sie an der Theke nach der Bestellung {1}.",
  "The receipt was added meanwhile.": "Der Beleg wurde inzwischen nachgetragen.",
  "The holdout is fixed: the campaign has run.": "Die Kontrollgruppe steht fest: Die Kampagne ist gelaufen.",
  "The identifier was used before with other facts.": "Diese Nummer wurde schon mit anderen Angaben verwendet.",
  "The identity belongs to a member that was closed.":
    "Die Kennung gehört zu einem Gast, dessen Mitgliedschaft beendet ist.",
  "The key has no scope of the operators or the platform.":
    "Der Schlüssel hat keine Berechtigung des Betriebs oder der Plattform.",
  "The key is neither the admin key nor a known token.":
    "Der Schlüssel ist weder der Admin-Schlüssel noch ein bekanntes Token.",
  "The key is no longer valid.": "Der Schlüssel gilt nicht mehr.",
  "The member exists. Changing it needs the scope members:write.":
    "Den Gast gibt es schon. Um ihn zu ändern, ist die Berechtigung members:write nötig.",
  "The member {1} is {2}.": "Der Gast {1} ist {2}.",
  "The order belongs to this member already.": "Die Bestellung gehört diesem Gast schon.",
  "The order has accrued before, with other facts or for another member. An order_id stays unique in the programme: if your numbers repeat, put shop and day before them.":
    "Die Bestellung hat schon gesammelt, mit anderen Angaben oder für einen anderen Gast. Eine Bestellnummer bleibt im Programm eindeutig: Wenn sich Ihre Nummern wiederholen, stellen Sie Filiale und Tag davor.",
  "The order is in {1}, programme {2} in {3}.": "Die Bestellung ist in {1}, Programm {2} in {3}.",
  "The order names member {1}, the request {2}.": "Die Bestellung nennt Gast {1}, die Anfrage {2}.",
  "The order would complete challenges {1} times; the limit is {2} at once.":
    "Die Bestellung würde Aufgaben {1}-mal erfüllen; auf einmal sind {2} erlaubt.",
  "The order would earn more points than can be counted exactly.":
    "Die Bestellung würde mehr Punkte sammeln, als genau gezählt werden können.",
  "The other filters do not match the member {1}.": "Die anderen Filter passen nicht zum Gast {1}.",
  "The request failed; the log has the cause, with the request id {1}.":
    "Die Anfrage ist fehlgeschlagen; die Ursache steht im Log, unter der Anfrage-ID {1}.",
  "The role comes from the company's provider. Change it there.":
    "Die Rolle kommt aus der Anmeldung der Firma. Ändern Sie sie dort.",
  "The role {1} may do more than you. Ask somebody who has it.":
    "Die Rolle {1} darf mehr als Sie. Bitten Sie jemanden, der sie hat.",
  "The segment {1} is archived.": "Das Segment {1} ist archiviert.",
  "The segment {1} is archived; restore it first.": "Das Segment {1} ist archiviert; stellen Sie es zuerst wieder her.",
  "The service is for {1}, and its passkeys work. Set PROTO_PUBLIC_URL to the new address first.":
    "Der Dienst ist für {1}, und die Passkeys dort funktionieren. Setzen Sie zuerst PROTO_PUBLIC_URL auf die neue Adresse.",
  "The token is limited to programmes; this is for all.": "Das Token ist auf Programme beschränkt; dies gilt für alle.",
  "The token is the environment's (PROTO_TOKEN, PROTO_TOKENS); change it there.":
    "Das Token steht in der Umgebung des Dienstes (PROTO_TOKEN, PROTO_TOKENS); ändern Sie es dort.",
  "The token of this request is no longer valid.": "Das Token dieser Anfrage gilt nicht mehr.",
  "The user is disabled. Enable the user first.": "Die Person ist gesperrt. Geben Sie sie zuerst frei.",
  "The {1} {2} uses the segment {3}.": "Das Segment {3} wird verwendet von: {1} {2}.",
  "There is another user with the address {1}. Ask an owner to disable it.":
    "Es gibt eine andere Person mit der Adresse {1}. Bitten Sie einen Inhaber, sie zu sperren.",
  "There is no campaign {1}.": "Es gibt keine Kampagne {1}.",
  "There is no connector {1}.": "Es gibt keinen Konnektor {1}.",
  "There is no delivery of event {1}; replay by position instead.":
    "Es gibt keine Zustellung des Ereignisses {1}; senden Sie stattdessen einen Zeitraum erneut.",
  "The errors of the import {1} were kept long enough, and are deleted.":
    "Die Fehler des Imports {1} wurden lange genug aufbewahrt und sind gelöscht.",
  "The import was cut off so long ago that what became of its rows is deleted. Import those that are missing with another key.":
    "Der Import wurde vor so langer Zeit unterbrochen, dass das Ergebnis seiner Zeilen gelöscht ist. Importieren Sie die fehlenden mit einem anderen Schlüssel.",
  "A lot has fewer points left than a correction takes.":
    "Ein Posten hat weniger Punkte übrig, als eine Korrektur abzieht.",
  "There is no import {1}.": "Es gibt keinen Import {1}.",
  "There is no issued reward {1}.": "Es gibt keine vergebene Prämie {1}.",
  "There is no member {1}.": "Es gibt keinen Gast {1}.",
  "There is no programme that the caller may see.": "Es gibt kein Programm, das Sie sehen dürfen.",
  "There is no programme {1}.": "Es gibt kein Programm {1}.",
  "There is no reservation {1}.": "Es gibt keine Vormerkung {1}.",
  "The audience of {1} has changed since; preview it again.":
    "Die Zielgruppe von {1} hat sich seitdem geändert; sehen Sie sie sich noch einmal an.",
  "There is no run {1} of programme {2}.": "Programm {2} hat keinen Lauf {1}.",
  "There is no segment {1}.": "Es gibt kein Segment {1}.",
  "There is no session.": "Es gibt keine Sitzung.",
  "There is no session; sign in.": "Es gibt keine Sitzung; melden Sie sich an.",
  "There is no such account.": "Dieses Konto gibt es nicht.",
  "There is no token {1}.": "Es gibt kein Token {1}.",
  "There is no user {1}.": "Es gibt keine Person {1}.",
  "This invitation has ended. Ask who invited you for a new one.":
    "Diese Einladung ist abgelaufen. Bitten Sie um eine neue, wer Sie eingeladen hat.",
  "This invitation was used already, a newer one replaced it, or it was withdrawn.":
    "Diese Einladung wurde schon verwendet, durch eine neuere ersetzt oder zurückgezogen.",
  "This invitation was used already, a newer one replaced it, or it was withdrawn. Sign in, or ask who invited you for a new one.":
    "Diese Einladung wurde schon verwendet, durch eine neuere ersetzt oder zurückgezogen. Melden Sie sich an, oder bitten Sie um eine neue, wer Sie eingeladen hat.",
  "This is the last active owner of all programmes. Make somebody else an owner first, and wait until that person has signed in.":
    "Das ist der letzte aktive Inhaber aller Programme. Machen Sie zuerst jemand anderen zum Inhaber und warten Sie, bis sich diese Person angemeldet hat.",
  "This is too much {1}: a credit, an overdraft and an order's total are at most {2}, and a balance must be exact in JSON.":
    "Das ist zu viel ({1}): Eine Gutschrift, eine Überziehung und die Summe einer Bestellung sind höchstens {2}, und ein Stand muss in JSON genau sein.",
  "This is your last passkey. Add another one first.":
    "Das ist Ihr letzter Passkey. Fügen Sie zuerst einen anderen hinzu.",
  "This passkey is known already.": "Dieser Passkey ist schon bekannt.",
  "This service runs on the real clock, and only a sandbox has faults.":
    "Dieser Dienst läuft mit der echten Uhr, und nur eine Testumgebung hat Störungen.",
  "This service runs on the real clock. A sandbox is made with --sandbox-clock 2026-07-14T10:00:00Z.":
    "Dieser Dienst läuft mit der echten Uhr. Eine Testumgebung entsteht mit --sandbox-clock 2026-07-14T10:00:00Z.",
  "This session was opened with a key. Only people have an account: sign in with a passkey.":
    "Diese Sitzung wurde mit einem Schlüssel geöffnet. Nur Menschen haben ein Konto: Melden Sie sich mit einem Passkey an.",
  "This sign-in took too long, or was used before. Sign in again.":
    "Diese Anmeldung dauerte zu lange oder wurde schon verwendet. Melden Sie sich noch einmal an.",
  "This user is disabled. Ask an owner.": "Diese Person ist gesperrt. Bitten Sie einen Inhaber.",
  "This user may not sign in any more.": "Diese Person darf sich nicht mehr anmelden.",
  "This user or passkey may not sign in any more. Ask an owner.":
    "Diese Person oder dieser Passkey darf sich nicht mehr anmelden. Bitten Sie einen Inhaber.",
  "This user signs in at the company's provider, and has no passkeys here.":
    "Diese Person meldet sich über die Firma an und hat hier keine Passkeys.",
  "Token {1} is {2}.": "Token {1} ist {2}.",
  "You have no passkey {1}.": "Sie haben keinen Passkey {1}.",
  "Your account is limited to programmes; this is for all.":
    "Ihr Konto ist auf Programme beschränkt; dies gilt für alle.",
  "expires_at must lie ahead.": "Das Ablaufdatum muss in der Zukunft liegen.",
  "{1} connectors are enabled, and no more may be; disable another one first.":
    "{1} Konnektoren sind eingeschaltet, mehr dürfen es nicht sein; schalten Sie zuerst einen anderen ab.",
  "{1} is limited to programmes, and cannot publish a new one.":
    "{1} ist auf Programme beschränkt und kann kein neues veröffentlichen.",
  "{1} is limited to programmes, but the connector also covers others.":
    "{1} ist auf Programme beschränkt, aber der Konnektor umfasst auch andere.",
  "{1} lacks the scope {2}.": "{1} fehlt die Berechtigung {2}.",
  "{1} was no member yet at {2}.": "{1} war am {2} noch kein Gast.",
  "This needs records of {1}, which are archived. An operator restores them with lotbook journal restore {2}.":
    "Nötig sind Buchungen vom {1}. Wer den Dienst betreibt, holt sie mit lotbook journal restore {2} zurück.",
  "Reward {1} is not yet available.": "Prämie {1} ist noch nicht verfügbar.",
  "Reward {1} is no longer available.": "Prämie {1} ist nicht mehr verfügbar.",
  "The campaign {1} has no segment.": "Die Kampagne {1} hat kein Segment.",
  "The clock moved to {1}. Some entries due by then are not posted yet; the service posts them once the database responds.":
    "Die Uhr steht auf {1}. Einige bis dahin fällige Buchungen fehlen noch; der Dienst holt sie nach, sobald die Datenbank antwortet.",
  "The segment {1} would have {2} conditions with those of {3}, which it names; the limit is {4}.":
    "Das Segment {1} hätte mit denen von {3}, das es nennt, {2} Bedingungen; die Grenze ist {4}.",
  "The token is not for programme {1}.": "Das Token gilt nicht für Programm {1}.",
  "The token is limited to restaurants; this is for all.":
    "Das Token ist auf Restaurants beschränkt; dies gilt für alle.",
  "There are {1} connections, and no more may be.": "Es gibt {1} Verbindungen, mehr dürfen es nicht sein.",
  "There is no connection {1}.": "Es gibt keine Verbindung {1}.",
  "There is no such programme.": "Dieses Programm gibt es nicht.",
  "Version {1} is in force.": "Es gilt Version {1}.",
  "Your account is not for programme {1}.": "Ihr Konto gilt nicht für Programm {1}.",
  "Your account is limited to restaurants; this is for all.":
    "Ihr Konto ist auf Restaurants beschränkt; dies gilt für alle.",
  "{1} gives points or rewards. {2} lacks the scope {3}.":
    "{1} gibt Punkte oder Prämien. {2} fehlt die Berechtigung {3}.",
  "include_artifacts sends the codes of rewards, which redeem them. It needs the scopes members:read and points:give.":
    "Mit Codes von Prämien löst man sie ein. Um sie zu senden, sind die Berechtigungen members:read und points:give nötig.",
  "guest_codes sends codes that sign guests in. It needs the scope staff:write, which owners have.":
    "Mit diesen Codes melden Gäste sich an. Um sie zu senden, ist die Berechtigung staff:write nötig, die Inhaber haben."
}

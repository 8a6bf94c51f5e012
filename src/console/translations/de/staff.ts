/** The German texts about people: invitations, roles, limits, accounts. */
import type { Translation } from "../../app/Translation.ts"
import { count, number } from "./german.ts"

export const staff: Translation["staff"] = {
  roles: {
    owner: "Inhaber",
    manager: "Leitung",
    marketer: "Marketing",
    support: "Gästeservice",
    analyst: "Auswertung",
    developer: "Technik",
    finance: "Buchhaltung",
    franchisee: "Franchisenehmer"
  },
  roleDoes: {
    owner: "Alles, auch das Team und seine Rollen.",
    manager: "Führt den Betrieb: Gäste, Punkte, Kampagnen, das Programm. Sieht Zahlen, Team und Konnektoren.",
    marketer:
      "Legt Segmente und Kampagnen an. Sieht Gäste, das Programm und Zahlen wie den Umsatz. Startet nichts, was Punkte gibt.",
    support:
      "Hilft Gästen: Profile, Karten, Punkte und Prämien. Sieht Kampagnen, das Programm und Zahlen wie den Umsatz.",
    analyst: "Sieht Kampagnen, das Programm und Zahlen wie den Umsatz. Sieht keine Daten von Gästen.",
    developer:
      "Token, Konnektoren und das Protokoll. Sieht das Programm und Zahlen wie den Umsatz, aber keine Daten von Gästen.",
    finance:
      "Sieht, was Punkte wert sind, und schließt Monate ab. Sieht das Programm und Zahlen wie den Umsatz, aber keine Daten von Gästen.",
    franchisee:
      "Sieht die Zahlen der eigenen Filialen und Gäste, die mit einer Karte kommen oder dort bestellt haben. Gibt dort Punkte."
  },
  rolesTitle: "Was Rollen dürfen",
  does: "Was sie darf",
  gives: (limits) => `Darf höchstens vergeben: ${limits}.`,
  givesAll: "Darf Punkte und Prämien ohne Grenze der Rolle vergeben.",
  role: "Rolle",
  name: "Name",
  email: "E-Mail",
  emailHint:
    "Daran erkennt man die Person. Die Einladung geht per E-Mail dorthin, wenn der Dienst einen Mailserver hat.",
  programs: "Programme",
  programsHint: "Leer: alle Programme.",
  allPrograms: "alle",
  restaurants: {
    title: "Auf Filialen beschränkt",
    hint: "Leer: alle Filialen. Eine Filiale muss in jeder Beschränkung enthalten sein.",
    location_ids: "Filialen",
    franchisee_ids: "Franchisenehmer",
    brand_ids: "Marken",
    limitedTo: (words) => `nur ${words}`,
    does: "Von dieser Rolle, was in den Filialen ist. Nichts vom ganzen Betrieb: keine Listen von Gästen, keine Monatsabschlüsse.",
    own: (words) => `Beschränkt auf Filialen: ${words}`
  },
  never: "nie",
  provider: {
    title: "Anmeldung",
    again: "Zur Anmeldung"
  },
  device: {
    browser: "Browser",
    on: (browser, system) => `${browser} auf ${system}`
  },
  passkey: {
    unsupported: "Dieser Browser kann keine Passkeys. Verwenden Sie einen anderen Browser.",
    insecure: (host) =>
      `Browser bieten Passkeys nur über https oder auf localhost an. Diese Seite ist auf ${host} ohne https.`,
    wrongHost: (here, host) =>
      `Passkeys dieses Dienstes funktionieren auf ${here} nicht. Öffnen Sie die Konsole stattdessen auf ${host}.`,
    notUsed:
      "Es wurde kein Passkey verwendet: Sie haben abgebrochen, die Zeit war um, oder dieses Gerät hat keinen für diesen Dienst. Versuchen Sie es noch einmal. Wenn Sie Ihren verloren haben, bitten Sie einen Inhaber um eine neue Einladung.",
    notMade:
      "Es wurde kein Passkey erstellt: Sie haben abgebrochen, oder die Zeit war um. Versuchen Sie es noch einmal.",
    known:
      "Dieses Gerät hat schon einen Passkey von Ihnen. Melden Sie sich damit an, oder erstellen Sie einen auf einem anderen Gerät.",
    unable:
      "Dieses Gerät kann einen solchen Passkey nicht aufbewahren. Richten Sie eine Bildschirmsperre ein (PIN, Fingerabdruck oder Gesicht), oder verwenden Sie ein Telefon oder einen Sicherheitsschlüssel.",
    failed:
      "Der Browser konnte keinen Passkey verwenden. Versuchen Sie es noch einmal, oder mit einem anderen Browser oder Gerät."
  },
  invitation: {
    title: (business) => (business === undefined ? "Willkommen" : `Willkommen bei ${business}`),
    hint: "Sie sind eingeladen, hier zu arbeiten. Sie melden sich mit einem Passkey an: mit Fingerabdruck, Gesicht oder der PIN Ihres Geräts. Ein Passwort gibt es nicht.",
    who: "Sie",
    until: "Die Einladung gilt bis",
    name: "Ein Name für diesen Passkey",
    nameHint: "Damit Sie ihn später wiedererkennen, zum Beispiel das Gerät, auf dem er liegt.",
    create: "Passkey erstellen",
    otherSession: (name) => `${name} ist hier angemeldet und wird dadurch abgemeldet.`,
    noSecret: "Diese Adresse ist nicht vollständig",
    noSecretHint:
      "Die Adresse einer Einladung hat einen langen Teil nach einem #. Öffnen Sie sie noch einmal aus der Nachricht, die Sie bekommen haben. Wenn Sie Ihren Passkey schon erstellt haben, melden Sie sich an.",
    used: "Diese Einladung gilt nicht mehr",
    usedHint:
      "Sie wurde schon verwendet, durch eine neuere ersetzt oder zurückgezogen. Wenn Sie Ihren Passkey schon erstellt haben, melden Sie sich an. Wenn nicht, bitten Sie um eine neue, wer Sie eingeladen hat.",
    ended: "Diese Einladung ist abgelaufen",
    endedHint: "Einladungen gelten 7 Tage. Bitten Sie um eine neue, wer Sie eingeladen hat.",
    refused: "Diese Einladung kann nicht verwendet werden",
    refusedHint: "Ihr Zugang ist gesperrt. Bitten Sie einen Inhaber, ihn freizugeben und Sie noch einmal einzuladen.",
    toSignIn: "Anmelden"
  },
  people: {
    title: "Team",
    hint: "Wer mit dieser Konsole arbeitet. Alle melden sich mit einem Passkey an, tun, was ihre Rolle erlaubt, und stehen mit Namen bei allem, was sie tun.",
    none: "Noch ist niemand eingeladen",
    noneHint: "Schlüssel sind für Maschinen. Laden Sie Menschen ein, damit sich alle unter eigenem Namen anmelden.",
    status: "Zustand",
    statuses: { invited: "Eingeladen", active: "Aktiv", disabled: "Gesperrt" },
    lastSeen: "Zuletzt da",
    you: "Sie",
    invitedUntil: (time) => `Einladung gilt bis ${time}`,
    invitationOver: "Einladung abgelaufen",
    roleGone: (time) => `Seit ${time} ohne Rolle in der Anmeldung der Firma`,
    passkeys: (n) => `${number(n)} ${count(n, "Passkey", "Passkeys")}`,
    invite: "Jemanden einladen",
    inviteEffect:
      "Sie bekommen eine Adresse, die Sie dieser Person schicken. Damit erstellt sie einen Passkey. Die Adresse gilt 7 Tage, einmal.",
    inviteSubmit: "Einladen",
    invitedTitle: (name) => `Einladung für ${name}`,
    invitedHint: (name) =>
      `Schicken Sie dies selbst an ${name}: Es wird keine E-Mail gesendet. Es wird nur jetzt gezeigt. Es gilt 7 Tage, einmal, und wer es verwendet, meldet sich als ${name} an. Wählen Sie also einen Weg, auf dem niemand mitliest.`,
    mailedHint: (name, email) =>
      `Die Einladung geht per E-Mail an ${email}. Wenn sie nicht ankommt, schicken Sie sie selbst an ${name}, auf einem Weg, auf dem niemand mitliest: Sie wird nur jetzt gezeigt, gilt 7 Tage, einmal, und wer sie verwendet, meldet sich als ${name} an.`,
    invitedLost:
      "Die Einladung wurde erstellt, aber die Antwort mit ihrer Adresse ging verloren. Laden Sie diese Person noch einmal ein.",
    address: "Adresse",
    copyAddress: "Adresse kopieren",
    message: "Text zum Verschicken",
    copyMessage: "Text kopieren",
    copied: "Kopiert",
    messageText: (name, business, role, url) =>
      `Hallo ${name},\n\nSie sind zu „${business}“ eingeladen, mit der Rolle ${role}. Öffnen Sie diese Adresse innerhalb von 7 Tagen auf dem Gerät, mit dem Sie arbeiten werden, und erstellen Sie dort einen Passkey:\n\n${url}\n\nDie Adresse gilt einmal und nur für Sie: Bitte geben Sie sie nicht weiter. Ein Passwort gibt es nicht. Danach melden Sie sich mit Fingerabdruck, Gesicht oder der PIN Ihres Geräts an.`,
    changeRole: "Rolle ändern",
    of: (action, name) => `${action}: ${name}`,
    roleEffect: (name) =>
      `${name} wird innerhalb einer Sekunde abgemeldet. Nach der nächsten Anmeldung darf ${name}, was die neue Rolle erlaubt.`,
    invitedRoleEffect: (name) => `Die Einladung gilt weiter. Damit darf ${name}, was die neue Rolle erlaubt.`,
    removePasskeys: "Passkeys entfernen",
    removePasskeysEffect: (name) =>
      `Für Geräte, die verloren oder in anderen Händen sind: Jeder Passkey von ${name} endet, und ${name} wird auf jedem Gerät innerhalb einer Sekunde abgemeldet. Um sich wieder anzumelden, braucht ${name} eine neue Einladung.`,
    again: "Noch einmal einladen",
    againEffect: (name) =>
      `Erstellt eine neue Adresse, mit der ${name} einen Passkey erstellt, zum Beispiel nach dem Verlust eines Geräts. Eine frühere Einladung endet. Vorhandene Passkeys gelten weiter.`,
    disable: "Sperren",
    disableEffect: (name) =>
      `${name} wird innerhalb einer Sekunde abgemeldet und kann sich nicht mehr anmelden. Eine offene Einladung endet. Alles, was ${name} getan hat, bleibt im Protokoll.`,
    enable: "Freigeben",
    enableEffect: (name, hasPasskeys) =>
      hasPasskeys
        ? `${name} kann sich wieder anmelden, mit denselben Passkeys und derselben Rolle.`
        : `${name} kann wieder eingeladen werden: Noch wurde kein Passkey erstellt.`,
    endSessions: "Überall abmelden",
    endSessionsEffect: (name) =>
      `${name} wird auf jedem Gerät innerhalb einer Sekunde abgemeldet und kann sich wieder anmelden.`,
    ended: (n, name) =>
      n === 0
        ? `${name} war nicht angemeldet.`
        : `${name} wurde abgemeldet: ${number(n)} ${count(n, "Sitzung", "Sitzungen")}.`,
    close: "Hinweis schließen",
    lastOwner: "Der einzige aktive Inhaber bleibt Inhaber."
  },
  limits: {
    title: "Grenzen",
    hint: "Was Menschen nach ihrer Rolle geben, abziehen und übertragen dürfen, neben den Grenzen des Programms. Schlüssel und Token haben keine.",
    names: {
      points_per_action: "Punkte auf einmal",
      points_per_day: "Punkte am Tag",
      rewards_per_day: "Prämien am Tag",
      orders_moved_per_day: "Übertragene Bestellungen am Tag"
    },
    none: "keine Grenze",
    change: "Grenzen ändern",
    effect: (role) =>
      `Alle mit der Rolle ${role} haben diese Grenzen sofort. Was heute schon vergeben wurde, zählt mit. Ein leeres Feld ist keine Grenze.`,
    ofPersonEffect: (name, role) =>
      `${name} hat diese Grenzen sofort, sonst niemand. Von ihnen und denen der Rolle ${role} gilt jeweils die kleinere. Was heute schon vergeben wurde, zählt mit. Ein leeres Feld ist die Grenze der Rolle.`,
    ofRole: "Grenze der Rolle",
    ofPerson: (limits) => `Höchstens ${limits}`,
    own: "Sie dürfen geben oder abziehen",
    ownOf: {
      points_per_action: (n) => `${n} Punkte auf einmal`,
      points_per_day: (n) => `${n} Punkte am Tag`,
      rewards_per_day: (n) => `${n} Prämien am Tag`,
      orders_moved_per_day: (n) => `${n} übertragene Bestellungen am Tag`
    },
    left: (limit, left) => `${limit} (noch ${left})`
  },
  account: {
    title: "Mein Konto",
    who: "Sie",
    of: (action, name) => `${action}: ${name}`,
    keyOnly: "Diese Sitzung wurde mit einem Schlüssel geöffnet",
    keyOnlyHint: "Nur Menschen haben ein Konto. Melden Sie sich ab und mit Ihrem Passkey wieder an.",
    passkeys: "Passkeys",
    passkeysHint:
      "Mit jedem können Sie sich anmelden. Haben Sie einen auf jedem Gerät, mit dem Sie arbeiten, oder einen zweiten, falls Sie den ersten verlieren.",
    made: "Erstellt",
    lastUsed: "Zuletzt verwendet",
    add: "Passkey hinzufügen",
    addEffect:
      "Ihr Browser fragt Sie nach einem neuen Passkey: auf diesem Gerät, auf einem Telefon oder auf einem Sicherheitsschlüssel.",
    rename: "Umbenennen",
    remove: "Entfernen",
    removeEffect: (name) =>
      `Mit „${name}“ können Sie sich nicht mehr anmelden. Sitzungen, die damit geöffnet wurden, enden innerhalb einer Sekunde, gegebenenfalls auch diese.`,
    lastPasskey: "Ihr letzter bleibt.",
    sessions: "Wo Sie angemeldet sind",
    device: "Gerät",
    address: "Adresse",
    began: "Angemeldet",
    lastSeen: "Zuletzt da",
    isThis: "diese",
    end: "Dort abmelden",
    endEffect: (device) =>
      `${device} wird innerhalb einer Sekunde abgemeldet. Dort nicht gespeicherte Eingaben gehen verloren.`,
    endOthers: "Überall sonst abmelden",
    endOthersEffect:
      "Alle Sitzungen außer dieser enden innerhalb einer Sekunde. Dort nicht gespeicherte Eingaben gehen verloren."
  },
  look: {
    title: "Eigenes Aussehen",
    change: "Name und Farbe ändern",
    name: "Name",
    nameHint: "Alle sehen ihn bei der Anmeldung, oben auf jeder Seite und in Einladungen. Leer: Lotbook.",
    colour: "Farbe",
    colourHint: "Zum Beispiel #1a7f5a: ein Streifen über jeder Seite. Leer: keine.",
    none: "keine",
    noLogo: "Es gibt kein Logo. Das Zeichen von Lotbook wird gezeigt.",
    logoHint:
      "PNG, höchstens 200 kB und 2.048 Pixel je Seite. Auch Gäste sehen es, auf Seiten von Programmen ohne eigenes Logo.",
    removeEffect:
      "Alle sehen das Zeichen von Lotbook, und Gäste nur den Namen, wenn das Programm kein eigenes Logo hat."
  },

  setUp: {
    title: "Richten Sie Ihr Konto ein",
    hint: "Sie sind mit dem Admin-Schlüssel angemeldet, der für diesen ersten Start gedacht ist. Legen Sie jetzt Ihr eigenes Konto an: Sie werden der erste Inhaber, melden sich künftig mit einem Passkey an und können andere einladen.",
    submit: "Weiter zum Passkey",
    unfinished: (name) =>
      `Das Konto von ${name} ist noch nicht fertig: Es hat noch keinen Passkey. Machen Sie unten damit weiter.`,
    emergency:
      "Sie sind mit dem Admin-Schlüssel angemeldet, der für Notfälle gedacht ist: Er darf alles, und im Protokoll steht nicht, wer Sie sind. Melden Sie sich für die tägliche Arbeit mit Ihrem Passkey an.",
    lost: "Das Konto wurde angelegt, aber die Antwort ging verloren. Drücken Sie den Knopf noch einmal."
  }
}

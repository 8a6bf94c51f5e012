/** Words that guests read on cards and pictures of their page: in the page's languages, whatever the console's is. */
import type { GuestPage } from "../../contract/ProgramFile.ts"

interface GuestWords {
  readonly points: string
  readonly button: string
  readonly scan: string
  readonly how: string
}

export const guestWords: Readonly<Record<GuestPage["languages"][number], GuestWords>> = {
  en: { points: "1,240 points", button: "Show my card", scan: "Collect points", how: "Scan, join, done." },
  de: {
    points: "1.240 Punkte",
    button: "Meine Karte zeigen",
    scan: "Punkte sammeln",
    how: "Scannen, mitmachen, fertig."
  }
}

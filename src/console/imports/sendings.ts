/** Sends rows once, and once more after each time that they were taken back (contract/engagement.md *Taking an import back*). */
import type { Import } from "../../contract/platform/Imports.ts"

interface Sending {
  readonly import: Pick<Import, "taken_back_at">
}

/**
 * Sends rows by their key. While a key's import was taken back, the next key follows from it, so that the same file after an
 * interruption resumes the newest import.
 */
export const sentOnce = async <A extends Sending>(key: string, send: (key: string) => Promise<A>): Promise<A> => {
  for (let times = 0; ; times++) {
    const sent = await send(times === 0 ? key : `${key}-${times}`)
    if (sent.import.taken_back_at === undefined) return sent
  }
}

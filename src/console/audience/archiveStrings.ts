/** Every English text about archived segments and campaigns. Apart from the others: the first page does not load them. */
import { number } from "../shared/format.ts"
import { texts } from "../shared/texts.ts"

export const archiveStrings = texts("archive", {
  archived: (n: number) => `Archived (${number(n)})`,
  archive: "Archive",
  restore: "Restore",
  campaign:
    "It gives nothing any more, and leaves the list of campaigns. Its runs and its report stay. You can restore it.",
  campaignBack: "It becomes a draft: it gives nothing until you activate it.",
  segment: "It leaves the lists of segments and cannot be chosen any more. You can restore it.",
  segmentBack: "It can be changed and chosen again.",
  segmentNote: "This segment is archived. Restore it to change or use it.",
  used: "It cannot be archived: a campaign or another segment still uses it.",
  needs: "Restore first what it uses: its segment is archived.",
  allArchived: "All of them are archived."
})

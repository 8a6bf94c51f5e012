/** Facts by which a clerk checks who stands there. */
import type { MemberShown } from "../../contract/admin/Members.ts"
import { isCard } from "../guests/cards.ts"
import { calendarDay } from "../shared/format.ts"
import { counterStrings as text } from "./counterStrings.ts"

/** As many digits of a telephone as tell two guests of one name apart. */
const shownDigits = 4

export const recognised = ({
  member,
  profile
}: Pick<typeof MemberShown.Type, "member" | "profile">): ReadonlyArray<readonly [string, string]> => {
  const { birth_date, phone } = profile ?? {}
  const cards = member.identities.filter(isCard).map(({ value }) => value)
  return [
    ...(phone === undefined ? [] : [[text.telephone, `…${phone.slice(-shownDigits)}`] as const]),
    ...(birth_date === undefined ? [] : [[text.birthday, calendarDay(birth_date)] as const]),
    [text.card, cards.length === 0 ? text.none : cards.join(", ")]
  ]
}

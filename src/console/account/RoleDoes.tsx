/** The role of a person, with what it lets do, and the restaurants that the person is limited to. */
import type { GivenLimits } from "../../contract/RestaurantLimits.ts"
import type { Role } from "../../contract/Roles.ts"
import { Note } from "../shared/Note.tsx"
import { restaurantWords } from "../shared/restaurantWords.ts"
import { staffStrings as text } from "../shared/staffStrings.ts"

export const RoleDoes = ({ limits, role }: { readonly limits: GivenLimits; readonly role: Role }) => {
  const words = restaurantWords(limits)
  return (
    <>
      {text.roles[role]}
      {/* The words of the role franchisee are those of somebody who is limited. */}
      <Note size="xs">
        {words === undefined || role === "franchisee" ? text.roleDoes[role] : text.restaurants.does}
      </Note>
      {words === undefined ? undefined : <Note size="xs">{text.restaurants.own(words)}</Note>}
    </>
  )
}

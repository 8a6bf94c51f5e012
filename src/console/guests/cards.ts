/** Identities that a guest carries. The others follow from the profile or from a merge. */
import type { MemberShown } from "../../contract/admin/Members.ts"

type Identity = (typeof MemberShown.Type)["member"]["identities"][number]

export const isCard = ({ type }: Identity): boolean => type === "loyalty_id" || type === "token"

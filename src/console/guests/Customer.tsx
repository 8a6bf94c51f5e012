/** A member's data from the platform. Absent without the scope to read it. */
import { Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import type { MemberShown } from "../../contract/admin/Members.ts"
import { Members } from "../../contract/platform/Members.ts"
import { call, client } from "../shared/client.ts"
import { Panel } from "../shared/Panel.tsx"
import { Shown } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { ConsentHistory, Consents } from "./Consents.tsx"
import { Profile } from "./Profile.tsx"
import { isBare } from "./profileForm.ts"
import { profileStrings } from "./profileStrings.ts"

const platform = client(Members)

const useCustomer = (program_id: string, member_id: string) =>
  useQuery({
    queryKey: ["customer", program_id, member_id],
    queryFn: async () => {
      const { member } = await call(platform.platform_members.findMembers({ query: { program_id, member_id } }))
      if (member === undefined) throw new Error("an answer about one member has it")
      return member
    }
  })

const Panels = ({ member }: Pick<typeof MemberShown.Type, "member">) => {
  const customer = useCustomer(member.program_id, member.member_id)
  return (
    <Shown query={customer}>
      {(shown) =>
        shown.status === "closed" && member.identities.length === 0 && isBare(shown) ? (
          <Panel title={profileStrings.title}>
            <Text c="dimmed">{profileStrings.erased}</Text>
          </Panel>
        ) : (
          <>
            <Profile member={shown} />
            <Consents member={shown} />
            <ConsentHistory member={shown} />
          </>
        )
      }
    </Shown>
  )
}

/** Hidden for a merged member: all of this moved to the surviving member. */
export const Customer = ({ member }: Pick<typeof MemberShown.Type, "member">) => {
  const may = useMay()
  return may("findMembers") && member.merged_into === undefined ? <Panels member={member} /> : undefined
}

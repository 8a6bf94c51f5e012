/** Actions on a member: points and rewards, its status, a merge. */
import { Group } from "@mantine/core"
import { useParams } from "@tanstack/react-router"
import { OneMember, StatusChange } from "../../contract/admin/Members.ts"
import type { MemberStatus as ToStatus } from "../../contract/Values.ts"
import { useMayAsk } from "../asks/asking.ts"
import { GivePoints } from "../counter/GivePoints.tsx"
import { IssueReward } from "../counter/IssueReward.tsx"
import { client } from "../shared/client.ts"
import { ReasonDialog } from "../shared/form/ReasonDialog.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { useMay, useMayGive } from "../shared/session.tsx"
import { Close } from "./Close.tsx"
import type { MemberShown } from "./MemberShown.ts"
import { Merge } from "./Merge.tsx"
import { memberStrings } from "./memberStrings.ts"
import { SignInLink } from "./SignInLink.tsx"

const admin = client(OneMember)

const text = memberStrings

export const useIds = () => useParams({ from: "/members/$program_id/$member_id" })

const Status = ({
  label,
  preview,
  to
}: {
  readonly to: ToStatus
  readonly label: string
  readonly preview: string
}) => {
  const params = useIds()
  return (
    <ReasonDialog
      label={label}
      preview={preview}
      done={useRefresh()}
      schema={StatusChange}
      start={{ status: to }}
      send={(payload) => admin.member.setMemberStatus({ params, payload })}
    />
  )
}

/** Gifts that the person may give, or ask others for. */
const Gifts = ({ shown }: { readonly shown: MemberShown }) => {
  const may = useMay()
  const mayAsk = useMayAsk()
  return (
    <>
      {may("adjustMember") || mayAsk ? <GivePoints shown={shown} label={text.adjust} /> : undefined}
      {may("issueMemberReward") || mayAsk ? <IssueReward member={shown.member} /> : undefined}
    </>
  )
}

export const Actions = ({ shown }: { readonly shown: MemberShown }) => {
  const may = useMay()
  const mayGive = useMayGive("admin")
  const maySetStatus = may("setMemberStatus")
  const { status } = shown.member
  if (status === "closed") return undefined
  return (
    <Group gap="xs">
      {status === "active" ? (
        <>
          <Gifts shown={shown} />
          {maySetStatus ? <Status to="suspended" label={text.suspend} preview={text.suspendPreview} /> : undefined}
        </>
      ) : maySetStatus ? (
        <Status to="active" label={text.activate} preview={text.activatePreview} />
      ) : undefined}
      {may("makeSignInLink") ? <SignInLink /> : undefined}
      {may("mergeMembers") && mayGive ? <Merge /> : undefined}
      {maySetStatus ? <Close shown={shown} /> : undefined}
    </Group>
  )
}

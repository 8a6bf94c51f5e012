/** Enrols a guest: a name, an address or a card is enough. */
import { Alert, Stack } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { OneMember } from "../../contract/admin/Members.ts"
import { Members } from "../../contract/platform/Members.ts"
import { useCampaigns } from "../audience/audience.ts"
import type { Guest } from "../shared/choosers/GuestCard.tsx"
import { GuestChooser } from "../shared/choosers/GuestChooser.tsx"
import { call, client } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Note } from "../shared/Note.tsx"
import { useProgram } from "../shared/program.tsx"
import { useMay } from "../shared/session.tsx"
import { EnrolFields } from "./EnrolFields.tsx"
import { draftOf, empty, isEnough, profileOf } from "./enrolling.ts"
import { guestStrings } from "./guestStrings.ts"
import { Known } from "./Known.tsx"

const service = client(Members, OneMember)

const text = guestStrings

/** The guest who brought this one, where a campaign thanks for it. */
const BroughtBy = (props: {
  readonly program_id: string
  readonly value: Guest | undefined
  readonly onChange: (guest: Guest | undefined) => void
}) => {
  const campaigns = useCampaigns().data ?? []
  if (!campaigns.some(({ status, trigger }) => trigger?.to === "referrer" && status === "active")) return undefined
  return (
    <Stack gap={4}>
      <GuestChooser label={text.broughtBy} error={undefined} isOptional {...props} />
      <Note size="xs">{text.broughtByHint}</Note>
    </Stack>
  )
}

const addCard = (program_id: string, member_id: string, value: string, issuer: string) => {
  const identity = { type: "loyalty_id", value, ...(issuer === "" ? {} : { issuer }) }
  return call(
    service.member.changeMemberIdentities({
      params: { program_id, member_id },
      payload: { add: [identity as { type: "loyalty_id"; value: string; issuer?: string }] }
    })
  )
}

/** An id that no other guest has. */
const newId = (): string => `m-${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`

export const Enrol = ({ program_id, search }: { readonly program_id: string; readonly search: string }) => {
  const navigate = useNavigate()
  const country = useProgram().data?.program.country
  const [draft, setDraft] = useState(empty)
  // One dialog enrols one guest, however often it is sent.
  const [member_id, setId] = useState(newId)
  const [isEnrolled, setEnrolled] = useState(false)
  const [broughtBy, setBroughtBy] = useState<Guest>()
  const may = useMay()
  const [isDone, setDone] = useState(false)
  // Only after the dialog is closed: until then leaving the page asks whether its input may be lost.
  useEffect(() => {
    if (isDone) void navigate({ to: "/members/$program_id/$member_id", params: { program_id, member_id } })
  }, [isDone, member_id, navigate, program_id])
  const profile = profileOf(draft, country)
  const [card, issuer] = [draft.card.trim(), draft.issuer.trim()]
  const run = async () => {
    const thanks = broughtBy === undefined ? {} : { attributes: { referred_by: broughtBy.member_id } }
    await call(service.platform_members.upsertMember({ payload: { program_id, member_id, ...profile, ...thanks } }))
    if (card === "") return
    setEnrolled(true)
    await addCard(program_id, member_id, card, issuer)
  }
  return (
    <ChangeDialog
      help="enrol"
      label={text.enrol}
      isReady={isEnough(draft)}
      begin={() => {
        setDraft(draftOf(search, country))
        setId(newId())
        setEnrolled(false)
        setBroughtBy(undefined)
      }}
      run={run}
      done={() => setDone(true)}
    >
      {(error: unknown) => (
        <>
          <EnrolFields
            draft={draft}
            error={error}
            onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
          />
          {may("campaigns") ? (
            <BroughtBy program_id={program_id} value={broughtBy} onChange={setBroughtBy} />
          ) : undefined}
          <Known program_id={program_id} typed={[profile.phone ?? "", draft.email, card]} but={member_id} />
          {isEnrolled && error !== null ? <Alert color="yellow">{text.enrolled}</Alert> : undefined}
        </>
      )}
    </ChangeDialog>
  )
}

/** Enrols a guest: a name, an address or a card is enough. */
import { Alert, Stack, TextInput } from "@mantine/core"
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
import { faultAt } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { guestStrings } from "./guestStrings.ts"
import { Known } from "./Known.tsx"
import { phoneIn } from "./phone.ts"
import { profileStrings } from "./profileStrings.ts"

const service = client(Members, OneMember)

const text = guestStrings

interface Draft {
  readonly display_name: string
  readonly phone: string
  readonly email: string
  readonly card: string
  readonly issuer: string
}

const empty: Draft = { display_name: "", phone: "", email: "", card: "", issuer: "" }

/** Text that was searched for in vain, in the field where it belongs. */
const draftOf = (search: string): Draft => {
  if (search.includes("@")) return { ...empty, email: search }
  if (phoneIn(search).startsWith("+")) return { ...empty, phone: search }
  return /\d{4}/.test(search) ? { ...empty, card: search } : { ...empty, display_name: search }
}

/** The guest who brought this one, where a campaign thanks for it. */
const BroughtBy = (props: {
  readonly program_id: string
  readonly value: Guest | undefined
  readonly onChange: (guest: Guest | undefined) => void
}) => {
  const campaigns = useCampaigns().data ?? []
  if (!campaigns.some(({ status, trigger }) => trigger?.to === "referrer" && status !== "archived")) return undefined
  return (
    <Stack gap={4}>
      <GuestChooser label={text.broughtBy} error={undefined} {...props} />
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
  const { card, issuer, ...facts } = draft
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }))
  const profile = Object.fromEntries(
    Object.entries({ ...facts, phone: phoneIn(facts.phone) }).flatMap(([name, value]) =>
      value.trim() === "" ? [] : [[name, value.trim()]]
    )
  )
  const run = async () => {
    const thanks = broughtBy === undefined ? {} : { attributes: { referred_by: broughtBy.member_id } }
    await call(service.platform_members.upsertMember({ payload: { program_id, member_id, ...profile, ...thanks } }))
    if (card.trim() === "") return
    setEnrolled(true)
    await addCard(program_id, member_id, card.trim(), issuer.trim())
  }
  return (
    <ChangeDialog
      label={text.enrol}
      isReady={Object.keys(profile).length > 0 || card.trim() !== ""}
      begin={() => {
        setDraft(draftOf(search))
        setId(newId())
        setEnrolled(false)
        setBroughtBy(undefined)
      }}
      run={run}
      done={() => setDone(true)}
    >
      {(error: unknown) => {
        const field = (name: "display_name" | "phone" | "email") => ({
          value: draft[name],
          onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
            set({ [name]: currentTarget.value }),
          error: faultAt(error, `/${name}`, draft[name]),
          autoComplete: "off"
        })
        return (
          <>
            <Note>{text.enrolHint}</Note>
            <TextInput label={profileStrings.fields.display_name} dir="auto" {...field("display_name")} />
            <TextInput
              label={profileStrings.fields.phone}
              description={profileStrings.phoneHint}
              inputMode="tel"
              {...field("phone")}
            />
            <TextInput label={profileStrings.fields.email} inputMode="email" {...field("email")} />
            <TextInput
              label={text.card}
              description={text.cardHint}
              autoComplete="off"
              value={card}
              onChange={({ currentTarget }) => set({ card: currentTarget.value })}
              error={faultAt(error, "/add/0/value", card)}
            />
            {card === "" ? undefined : (
              <TextInput
                label={text.issuer}
                description={text.issuerHint}
                autoComplete="off"
                value={issuer}
                onChange={({ currentTarget }) => set({ issuer: currentTarget.value })}
                error={faultAt(error, "/add/0/issuer", issuer)}
              />
            )}
            {may("campaigns") ? (
              <BroughtBy program_id={program_id} value={broughtBy} onChange={setBroughtBy} />
            ) : undefined}
            <Known program_id={program_id} typed={[draft.phone, draft.email, card]} but={member_id} />
            {isEnrolled && error !== null ? <Alert color="yellow">{text.enrolled(member_id)}</Alert> : undefined}
          </>
        )
      }}
    </ChangeDialog>
  )
}

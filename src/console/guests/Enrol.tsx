/** Enrols a guest: a name, an address or a card is enough. */
import { Alert, TextInput } from "@mantine/core"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { OneMember } from "../../contract/admin/Members.ts"
import { Members } from "../../contract/platform/Members.ts"
import { call, client } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Note } from "../shared/Note.tsx"
import { faultAt } from "../shared/States.tsx"
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

/** An id that no other guest has. */
const newId = (): string => `m-${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`

export const Enrol = ({ program_id, search }: { readonly program_id: string; readonly search: string }) => {
  const navigate = useNavigate()
  const [draft, setDraft] = useState(empty)
  // One dialog enrols one guest, however often it is sent.
  const [member_id, setId] = useState(newId)
  const [isEnrolled, setEnrolled] = useState(false)
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
    await call(service.platform_members.upsertMember({ payload: { program_id, member_id, ...profile } }))
    if (card.trim() === "") return
    setEnrolled(true)
    const identity = {
      type: "loyalty_id",
      value: card.trim(),
      ...(issuer.trim() === "" ? {} : { issuer: issuer.trim() })
    }
    await call(
      service.member.changeMemberIdentities({
        params: { program_id, member_id },
        payload: { add: [identity as { type: "loyalty_id"; value: string; issuer?: string }] }
      })
    )
  }
  return (
    <ChangeDialog
      label={text.enrol}
      isReady={Object.keys(profile).length > 0 || card.trim() !== ""}
      begin={() => {
        setDraft(draftOf(search))
        setId(newId())
        setEnrolled(false)
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
            <Known program_id={program_id} typed={[draft.phone, draft.email, card]} but={member_id} />
            {isEnrolled && error !== null ? <Alert color="yellow">{text.enrolled(member_id)}</Alert> : undefined}
          </>
        )
      }}
    </ChangeDialog>
  )
}

/** A dialog that gives points to a guest, or takes them away, after a preview. */
import { Alert, Group } from "@mantine/core"
import { Schema } from "effect"
import type { Ask } from "../../contract/admin/Asks.ts"
import type { Adjusted } from "../../contract/admin/Members.ts"
import { Adjustment, OneMember } from "../../contract/admin/Members.ts"
import { asksClient, isBeyondLimit, useMayAsk } from "../asks/asking.ts"
import { askStrings } from "../asks/askStrings.ts"
import type { MemberShown } from "../guests/MemberShown.ts"
import { memberStrings } from "../guests/memberStrings.ts"
import { client } from "../shared/client.ts"
import { Field, ReasonField } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import type { Foreseen } from "../shared/form/foreseen.ts"
import { number, signed } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { useNames } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { foreseenSentenceOf } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"

const admin = client(OneMember)

const text = memberStrings

type Posted = Pick<typeof Adjusted.Type, "balances" | "entries" | "entry">

/** The balance before and after, both of one answer: the page's own may be older. */
const balanceOf = ({ balances, entries, entry }: Posted, unit: unknown) => {
  const after = balances.find((one) => one.unit === unit)?.amount ?? 0
  const posted = (entries ?? [entry]).filter((one) => one.unit === unit)
  return { after, before: posted.reduce((rest, { amount }) => rest - amount, after) }
}

/** The balance before and after, or why there is none. */
const AdjustPreview = (props: {
  readonly data: Posted | undefined
  readonly unit: unknown
  readonly error: unknown
}) => {
  const { data, error, unit } = props
  if (data === undefined && error === null) return undefined
  const balance = data === undefined ? undefined : balanceOf(data, unit)
  return (
    <Alert
      color={error === null ? "indigo" : "red"}
      title={error === null ? strings.member.preview : text.notPossible}
      role="status"
    >
      {error !== null || balance === undefined
        ? foreseenSentenceOf(error)
        : text.previewOf(number(balance.before), number(balance.after))}
    </Alert>
  )
}

const { adjustment_id: _, ...facts } = Adjustment.fields

/** A gift: its id follows from the rest, so that the same one is given once however often it is sent. */
const Gift = Schema.Struct(facts)
type Gift = typeof Gift.Type

/** Gives points to a guest or takes them away. `isBrief`: without what a clerk leaves as it is. */
export const GivePoints = (props: {
  readonly shown: MemberShown
  readonly label: string
  readonly isBrief?: boolean
}) => {
  const { isBrief = false, label, shown } = props
  const { member_id, program_id } = shown.member
  const mayGive = useMay()("adjustMember")
  const mayAsk = useMayAsk()
  const names = useNames()
  const give = (gift: Gift, adjustment_id: string) =>
    admin.member.adjustMember({ params: { program_id, member_id }, payload: { ...gift, adjustment_id } })
  const mustAsk = ({ error }: Foreseen<unknown>) => mayAsk && (!mayGive || isBeyondLimit(error))
  const ask = ({ reason, ...gift }: Gift) =>
    asksClient.asks.askManager({ payload: { program_id, member_id, gift: { type: "points", ...gift }, reason } })
  const told = (done: Posted | Ask): string => {
    if (!("balances" in done)) return askStrings.asked
    const { amount, unit } = done.entry
    const gift = `${signed(amount)} ${names.unit(unit)}`
    return text.adjusted(gift, shown.profile?.display_name ?? member_id, number(balanceOf(done, unit).after))
  }
  return (
    <FormDialog<Gift, Posted | Ask, Posted>
      label={label}
      told={told}
      schema={Gift}
      start={{
        unit: shown.balances[0]?.unit ?? "points",
        classification: "service_recovery",
        qualifies_for_tier: false
      }}
      keepsInput
      foresee={mayGive ? (gift) => give({ ...gift, dry_run: true }, crypto.randomUUID()) : undefined}
      isReady={({ amount }) => amount !== 0}
      instead={(foreseen) =>
        mustAsk(foreseen) ? { submit: askStrings.ask, told: askStrings.asked, send: ask } : undefined
      }
      send={give}
      done={useRefresh()}
    >
      {({ unit }, foreseen) => (
        <>
          <OwnLimits program={program_id} />
          <Group grow align="flex-start">
            <Field at="/amount" label={text.amount} hint={text.amountHint} input={{ hasSign: true }} />
            <Field
              at="/unit"
              label={text.unit}
              options={shown.balances.map((one) => ({ value: one.unit, label: names.unit(one.unit) }))}
            />
          </Group>
          {isBrief ? undefined : (
            <>
              <Field at="/classification" label={text.classification} />
              <Field at="/qualifies_for_tier" label={text.qualifies} />
            </>
          )}
          <ReasonField />
          {mustAsk(foreseen) ? <Note>{askStrings.hint}</Note> : undefined}
          <AdjustPreview data={foreseen.data} unit={unit} error={foreseen.error} />
        </>
      )}
    </FormDialog>
  )
}

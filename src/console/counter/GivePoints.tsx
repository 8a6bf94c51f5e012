/** A dialog that gives points to a guest, or takes them away, after a preview. */
import { Alert, Group } from "@mantine/core"
import { Schema } from "effect"
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
import { number } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { useNames } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { foreseenSentenceOf } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"

const admin = client(OneMember)

const text = memberStrings

/** The balance before and after, or why there is none. */
const AdjustPreview = (props: {
  readonly before: number
  readonly after: number | undefined
  readonly error: unknown
}) => {
  const { after, before, error } = props
  if (after === undefined && error === null) return undefined
  return (
    <Alert
      color={error === null ? "indigo" : "red"}
      title={error === null ? strings.member.preview : text.notPossible}
      role="status"
    >
      {error !== null || after === undefined
        ? foreseenSentenceOf(error)
        : text.previewOf(number(before), number(after))}
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
  return (
    <FormDialog<Gift, unknown, Pick<typeof Adjusted.Type, "balances">>
      label={label}
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
            <Field
              at="/unit"
              label={text.unit}
              options={shown.balances.map((one) => ({ value: one.unit, label: names.unit(one.unit) }))}
            />
            <Field at="/amount" label={text.amount} hint={text.amountHint} input={{ hasSign: true }} />
          </Group>
          {isBrief ? undefined : (
            <>
              <Field at="/classification" label={text.classification} />
              <Field at="/qualifies_for_tier" label={text.qualifies} />
            </>
          )}
          <ReasonField />
          {mustAsk(foreseen) ? <Note>{askStrings.hint}</Note> : undefined}
          <AdjustPreview
            before={shown.balances.find((one) => one.unit === unit)?.amount ?? 0}
            after={foreseen.data?.balances.find((one) => one.unit === unit)?.amount}
            error={foreseen.error}
          />
        </>
      )}
    </FormDialog>
  )
}

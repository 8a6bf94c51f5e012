/** A dialog that gives points to a guest, or takes them away, after a preview. */
import { Alert, Checkbox, Group, NativeSelect } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { OneMember } from "../../contract/admin/Members.ts"
import type { Unit } from "../../contract/Values.ts"
import { Classification } from "../../contract/Values.ts"
import { askFor, isBeyondLimit, useMayAsk } from "../asks/asking.ts"
import { askStrings } from "../asks/askStrings.ts"
import type { MemberShown } from "../guests/MemberShown.ts"
import { memberStrings } from "../guests/memberStrings.ts"
import { call, client } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { NumberField } from "../shared/form/NumberField.tsx"
import { useOnce } from "../shared/form/once.ts"
import { Reason } from "../shared/form/Reason.tsx"
import { number } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { useNames } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt, foreseenSentenceOf } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { labelOf } from "../shared/words/words.ts"

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

type Kind = (typeof Classification.literals)[number]

const Kind = (props: {
  readonly kind: Kind
  readonly setKind: (kind: Kind) => void
  readonly qualifies: boolean
  readonly setQualifies: (qualifies: boolean) => void
}) => (
  <>
    <NativeSelect
      label={text.classification}
      value={props.kind}
      data={Classification.literals.map((value) => ({ value, label: labelOf(value) }))}
      onChange={({ currentTarget }) => props.setKind(currentTarget.value as Kind)}
    />
    <Checkbox
      label={text.qualifies}
      checked={props.qualifies}
      onChange={({ currentTarget }) => props.setQualifies(currentTarget.checked)}
    />
  </>
)

/** Gives points to a guest or takes them away. `isBrief`: without what a clerk leaves as it is. */
export const GivePoints = (props: {
  readonly shown: MemberShown
  readonly label: string
  readonly isBrief?: boolean
}) => {
  const { isBrief = false, label, shown } = props
  const { member_id, program_id } = shown.member
  const params = { program_id, member_id }
  const refresh = useRefresh()
  const mayGive = useMay()("adjustMember")
  const mayAsk = useMayAsk()
  const once = useOnce()
  const names = useNames()
  const [isOpen, setOpen] = useState(false)
  const [unit, setUnit] = useState<Unit>(shown.balances[0]?.unit ?? "points")
  const [amount, setAmount] = useState<number | string>("")
  const [classification, setClassification] = useState<Kind>("service_recovery")
  const [qualifies, setQualifies] = useState(false)
  const [reason, setReason] = useState("")
  const [settled] = useDebouncedValue(amount, 300)
  const change = (amount: number) => {
    const content = {
      amount,
      unit,
      classification,
      qualifies_for_tier: qualifies,
      reason: reason === "" ? "-" : reason
    }
    return { adjustment_id: once.keyOf(content), ...content }
  }
  const preview = useQuery({
    queryKey: ["adjustment", params, unit, settled, classification, qualifies],
    // A closed dialog keeps its input, and asks for no preview.
    enabled: mayGive && isOpen && Number.isInteger(settled) && settled !== 0,
    retry: false,
    queryFn: () => call(admin.member.adjustMember({ params, payload: { ...change(Number(settled)), dry_run: true } }))
  })
  const before = shown.balances.find((one) => one.unit === unit)?.amount ?? 0
  const after = preview.data?.balances.find((one) => one.unit === unit)?.amount
  const mustAsk = mayAsk && (!mayGive || (settled === amount && isBeyondLimit(preview.error)))
  const ask = () => {
    const { reason, adjustment_id: _, ...gift } = change(Number(amount))
    return askFor({ program_id, member_id, gift: { type: "points", ...gift }, reason })
  }
  return (
    <ChangeDialog<unknown>
      label={label}
      submit={mustAsk ? askStrings.ask : label}
      {...(mustAsk ? { told: askStrings.asked } : {})}
      done={() => {
        once.done()
        setAmount("")
        setReason("")
        refresh()
      }}
      begin={() => setOpen(true)}
      end={() => setOpen(false)}
      isReady={Number.isInteger(amount) && amount !== 0 && reason !== ""}
      run={() => (mustAsk ? ask() : call(admin.member.adjustMember({ params, payload: change(Number(amount)) })))}
    >
      {(error: unknown) => (
        <>
          <OwnLimits program={params.program_id} />
          <Group grow align="flex-start">
            <NativeSelect
              label={text.unit}
              value={unit}
              data={shown.balances.map((one) => ({ value: one.unit, label: names.unit(one.unit) }))}
              onChange={({ currentTarget }) => setUnit(currentTarget.value as Unit)}
            />
            <NumberField
              label={text.amount}
              description={text.amountHint}
              inputWrapperOrder={["label", "input", "description", "error"]}
              required
              hasSign
              value={amount}
              onChange={setAmount}
              error={faultAt(error, "/amount", amount)}
            />
          </Group>
          {isBrief ? undefined : (
            <Kind kind={classification} setKind={setClassification} qualifies={qualifies} setQualifies={setQualifies} />
          )}
          <Reason value={reason} onChange={setReason} error={error} />
          {mustAsk ? <Note>{askStrings.hint}</Note> : undefined}
          <AdjustPreview before={before} after={after} error={preview.error} />
        </>
      )}
    </ChangeDialog>
  )
}

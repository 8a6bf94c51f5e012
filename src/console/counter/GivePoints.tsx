/** A dialog that gives points to a guest, or takes them away, after a preview. */
import { Alert, Checkbox, Group, NativeSelect, NumberInput } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { OneMember } from "../../contract/admin/Members.ts"
import type { Unit } from "../../contract/Values.ts"
import { Classification } from "../../contract/Values.ts"
import { call, client } from "../app/client.ts"
import { number } from "../app/format.ts"
import { memberStrings } from "../app/memberStrings.ts"
import { useOnce } from "../app/once.ts"
import { useNames } from "../app/program.tsx"
import { useRefresh } from "../app/refresh.ts"
import { strings } from "../app/strings.ts"
import { labelOf } from "../app/words.ts"
import { ChangeDialog } from "../ui/ChangeDialog.tsx"
import type { MemberShown } from "../ui/MemberShown.ts"
import { OwnLimits } from "../ui/OwnLimits.tsx"
import { Reason } from "../ui/Reason.tsx"
import { faultAt, sentenceOf } from "../ui/States.tsx"

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
      {after === undefined ? sentenceOf(error) : text.previewOf(number(before), number(after))}
    </Alert>
  )
}

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
  const once = useOnce()
  const names = useNames()
  const [isOpen, setOpen] = useState(false)
  const [unit, setUnit] = useState<Unit>(shown.balances[0]?.unit ?? "points")
  const [amount, setAmount] = useState<number | string>("")
  const [classification, setClassification] = useState<(typeof Classification.literals)[number]>("service_recovery")
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
    enabled: isOpen && typeof settled === "number" && settled !== 0,
    retry: false,
    queryFn: () => call(admin.member.adjustMember({ params, payload: { ...change(Number(settled)), dry_run: true } }))
  })
  const before = shown.balances.find((one) => one.unit === unit)?.amount ?? 0
  const after = preview.data?.balances.find((one) => one.unit === unit)?.amount
  return (
    <ChangeDialog
      label={label}
      done={() => {
        once.done()
        setAmount("")
        setReason("")
        refresh()
      }}
      begin={() => setOpen(true)}
      end={() => setOpen(false)}
      isReady={typeof amount === "number" && amount !== 0 && reason !== ""}
      run={() => call(admin.member.adjustMember({ params, payload: change(Number(amount)) }))}
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
            <NumberInput
              label={text.amount}
              description={text.amountHint}
              inputWrapperOrder={["label", "input", "description", "error"]}
              required
              allowDecimal={false}
              value={amount}
              onChange={setAmount}
              error={faultAt(error, "/amount", amount)}
            />
          </Group>
          {isBrief ? undefined : (
            <>
              <NativeSelect
                label={text.classification}
                value={classification}
                data={Classification.literals.map((value) => ({ value, label: labelOf(value) }))}
                onChange={({ currentTarget }) => setClassification(currentTarget.value as typeof classification)}
              />
              <Checkbox
                label={text.qualifies}
                checked={qualifies}
                onChange={({ currentTarget }) => setQualifies(currentTarget.checked)}
              />
            </>
          )}
          <Reason value={reason} onChange={setReason} error={error} />
          <AdjustPreview before={before} after={after} error={preview.error} />
        </>
      )}
    </ChangeDialog>
  )
}

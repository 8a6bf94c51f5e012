import { Alert } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { OrderMoving } from "../../../contract/admin/MoveOrder.ts"
import { call, client } from "../../app/client.ts"
import { number, signed } from "../../app/format.ts"
import { memberStrings } from "../../app/memberStrings.ts"
import { useNames } from "../../app/program.tsx"
import { useRefresh } from "../../app/refresh.ts"
import { strings } from "../../app/strings.ts"
import { ChangeDialog } from "../../ui/ChangeDialog.tsx"
import { GuestInput } from "../../ui/GuestInput.tsx"
import { nameIn, noSuch, useMember } from "../../ui/MemberShown.ts"
import { OwnLimits } from "../../ui/OwnLimits.tsx"
import { Reason } from "../../ui/Reason.tsx"
import { faultAt, sentenceOf } from "../../ui/States.tsx"

const admin = client(OrderMoving)

const text = memberStrings.moveOrder

interface Order {
  readonly program_id: string
  readonly member_id: string
  readonly order_id: string
}

/** Moves an order to another member. Shows first what both would have. */
export const MoveOrder = (params: Order) => {
  const names = useNames()
  const refresh = useRefresh()
  const [to, setTo] = useState("")
  const [reason, setReason] = useState("")
  const [settled] = useDebouncedValue(to.trim(), 300)
  const from = useMember(params.program_id, params.member_id, settled !== "")
  const other = useMember(params.program_id, settled, settled !== "" && settled !== params.member_id)
  const foreseen = useQuery({
    queryKey: ["move-order", params, settled],
    enabled: other.data !== undefined,
    retry: false,
    queryFn: () => call(admin.moveOrder.moveOrder({ params, payload: { to: settled, reason: "-", dry_run: true } }))
  })
  const { data: preview, error: refused } = foreseen
  const sides = [from.data, other.data]
  return (
    <ChangeDialog
      label={text.label}
      name={text.name(params.order_id)}
      isReady={preview !== undefined && settled === to.trim() && reason !== ""}
      begin={() => {
        setTo("")
        setReason("")
      }}
      done={refresh}
      run={() => call(admin.moveOrder.moveOrder({ params, payload: { to: to.trim(), reason } }))}
    >
      {(error: unknown) => (
        <>
          <OwnLimits program={params.program_id} names={["orders_moved_per_day"]} />
          <GuestInput
            label={text.to}
            program_id={params.program_id}
            but={params.member_id}
            value={to}
            onChange={setTo}
            error={faultAt(error, "/to", to) ?? noSuch(other.error)}
          />
          {preview === undefined && refused === null ? undefined : (
            <Alert
              color={refused === null ? "indigo" : "red"}
              title={refused === null ? strings.member.preview : memberStrings.notPossible}
              role="status"
            >
              {preview === undefined
                ? sentenceOf(refused)
                : [preview.from, preview.to].map(({ balances, member_id }, side) => (
                    <div key={member_id}>
                      {preview.points
                        .map(({ given, taken, unit }) =>
                          text.effect(
                            nameIn(member_id, sides[side]),
                            `${signed(side === 0 ? taken : given)} ${names.unit(unit)}`,
                            number(balances.find((one) => one.unit === unit)?.amount ?? 0)
                          )
                        )
                        .join(" ")}
                    </div>
                  ))}
            </Alert>
          )}
          <Reason value={reason} onChange={setReason} error={error} />
        </>
      )}
    </ChangeDialog>
  )
}

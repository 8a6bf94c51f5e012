import { Alert } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { OrderMoving } from "../../contract/admin/MoveOrder.ts"
import type { Guest } from "../shared/choosers/GuestCard.tsx"
import { GuestCard, guestName, useGuest } from "../shared/choosers/GuestCard.tsx"
import { GuestChooser } from "../shared/choosers/GuestChooser.tsx"
import { call, client } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Reason } from "../shared/form/Reason.tsx"
import { number, signed } from "../shared/format.ts"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { useNames } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt, sentenceOf } from "../shared/States.tsx"
import { strings } from "../shared/strings.ts"
import { memberStrings } from "./memberStrings.ts"

const admin = client(OrderMoving)

const text = memberStrings.moveOrder

interface Order {
  readonly program_id: string
  readonly member_id: string
  readonly order_id: string
}

const nameOf = (guest: Guest | undefined, id: string): string => (guest === undefined ? id : guestName(guest))

/** Moves an order to another member. Shows first what both would have. */
export const MoveOrder = (params: Order) => {
  const names = useNames()
  const refresh = useRefresh()
  const [to, setTo] = useState<Guest>()
  const [reason, setReason] = useState("")
  const from = useGuest(params.program_id, params.member_id).data
  const chosen = to?.member_id ?? ""
  const foreseen = useQuery({
    queryKey: ["move-order", params, chosen],
    enabled: to !== undefined,
    retry: false,
    queryFn: () => call(admin.moveOrder.moveOrder({ params, payload: { to: chosen, reason: "-", dry_run: true } }))
  })
  const { data: preview, error: refused } = foreseen
  const sides = [from ?? undefined, to]
  return (
    <ChangeDialog
      label={text.label}
      name={text.name(params.order_id)}
      isReady={preview !== undefined && reason !== ""}
      begin={() => {
        setTo(undefined)
        setReason("")
      }}
      done={refresh}
      run={() => call(admin.moveOrder.moveOrder({ params, payload: { to: chosen, reason } }))}
    >
      {(error: unknown) => (
        <>
          <OwnLimits program={params.program_id} names={["orders_moved_per_day"]} />
          <GuestChooser
            label={text.to}
            program_id={params.program_id}
            but={params.member_id}
            value={to}
            onChange={setTo}
            error={faultAt(error, "/to", chosen)}
          />
          {to === undefined ? undefined : <GuestCard guest={to} />}
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
                            nameOf(sides[side], member_id),
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

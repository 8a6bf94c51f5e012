import { Alert } from "@mantine/core"
import { useState } from "react"
import type { OrderMoved } from "../../contract/admin/MoveOrder.ts"
import { MoveOrder as Move, OrderMoving } from "../../contract/admin/MoveOrder.ts"
import type { Guest } from "../shared/choosers/GuestCard.tsx"
import { GuestCard, guestName, useGuest } from "../shared/choosers/GuestCard.tsx"
import { client } from "../shared/client.ts"
import { ReasonField } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { GuestField } from "../shared/form/GuestField.tsx"
import { number, signed } from "../shared/format.ts"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { useNames } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { sentenceOf } from "../shared/States.tsx"
import { strings } from "../shared/strings.ts"
import { memberStrings } from "./memberStrings.ts"

const admin = client(OrderMoving)

const text = memberStrings.moveOrder

interface Order {
  readonly program_id: string
  readonly member_id: string
  readonly order_id: string
}

interface EffectsProps {
  readonly guests: ReadonlyArray<Guest | undefined>
  readonly preview: OrderMoved | undefined
  readonly error: unknown
}

const nameOf = (guest: Guest | undefined, id: string): string => (guest === undefined ? id : guestName(guest))

/** Balances that both would have, or why the order cannot be moved. */
const Effects = ({ error, guests, preview }: EffectsProps) => {
  const names = useNames()
  if (preview === undefined && error === null) return undefined
  return (
    <Alert
      color={error === null ? "indigo" : "red"}
      title={error === null ? strings.member.preview : memberStrings.notPossible}
      role="status"
    >
      {preview === undefined
        ? sentenceOf(error)
        : [preview.from, preview.to].map(({ balances, member_id }, side) => (
            <div key={member_id}>
              {preview.points
                .map(({ given, taken, unit }) =>
                  text.effect(
                    nameOf(guests[side], member_id),
                    `${signed(side === 0 ? taken : given)} ${names.unit(unit)}`,
                    number(balances.find((one) => one.unit === unit)?.amount ?? 0)
                  )
                )
                .join(" ")}
            </div>
          ))}
    </Alert>
  )
}

/** Moves an order to another member. Shows first what both would have. */
export const MoveOrder = (params: Order) => {
  const { member_id, order_id, program_id } = params
  const from = useGuest(program_id, member_id).data
  const [chosen, choose] = useState<Guest>()
  const move = (payload: typeof Move.Type) => admin.moveOrder.moveOrder({ params, payload })
  return (
    <FormDialog
      help="move"
      label={text.label}
      name={text.name(order_id)}
      schema={Move}
      foresee={(payload) => move({ ...payload, dry_run: true })}
      isReady={(_, { data }) => data !== undefined}
      send={move}
      done={useRefresh()}
    >
      {({ to: id }, { data, error }) => {
        const to = chosen?.member_id === id ? chosen : undefined
        return (
          <>
            <OwnLimits program={program_id} names={["orders_moved_per_day"]} />
            <GuestField at="/to" label={text.to} program_id={program_id} but={member_id} onGuest={choose} />
            {to === undefined ? undefined : <GuestCard guest={to} />}
            <Effects guests={[from ?? undefined, to]} preview={data} error={error} />
            <ReasonField />
          </>
        )
      }}
    </FormDialog>
  )
}

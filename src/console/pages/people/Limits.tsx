/** What people may give by their roles. Owners change it. */
import { Alert, NumberInput } from "@mantine/core"
import { useState } from "react"
import { limitNames } from "../../../contract/protocol/Problem.ts"
import { scopesOf } from "../../../contract/Roles.ts"
import { call } from "../../app/client.ts"
import { number } from "../../app/format.ts"
import type { LimitsOf } from "../../app/limits.ts"
import { limitsClient, useLimits } from "../../app/limits.ts"
import { useRefresh } from "../../app/refresh.ts"
import { useMay, useSession } from "../../app/session.tsx"
import { useRoles } from "../../app/staff.ts"
import { staffStrings } from "../../app/staffStrings.ts"
import { strings } from "../../app/strings.ts"
import { ChangeDialog } from "../../ui/ChangeDialog.tsx"
import { Listing } from "../../ui/Listing.tsx"
import { Note } from "../../ui/Note.tsx"
import { Panel } from "../../ui/Panel.tsx"
import { Reason } from "../../ui/Reason.tsx"
import { faultAt, Shown } from "../../ui/States.tsx"

const text = staffStrings.limits

const Change = ({ limits: { role, ...now } }: { readonly limits: LimitsOf }) => {
  const refresh = useRefresh("limits", "account")
  const [typed, setTyped] = useState<Readonly<Record<string, number | string>>>({})
  const [reason, setReason] = useState("")
  const name = staffStrings.roles[role]
  return (
    <ChangeDialog
      label={text.change}
      name={staffStrings.people.of(text.change, name)}
      isReady={reason !== ""}
      begin={() => {
        setTyped(now)
        setReason("")
      }}
      done={refresh}
      run={() => {
        const given = limitNames.filter((one) => (typed[one] ?? "") !== "")
        const limits = Object.fromEntries(given.map((one) => [one, Number(typed[one])]))
        return call(limitsClient.limits.changeLimits({ payload: { role, reason, ...limits } }))
      }}
    >
      {(error: unknown) => (
        <>
          {limitNames.map((one) => (
            <NumberInput
              key={one}
              label={text.names[one]}
              placeholder={text.none}
              allowDecimal={false}
              allowNegative={false}
              thousandSeparator
              value={typed[one] ?? ""}
              onChange={(value) => setTyped((before) => ({ ...before, [one]: value }))}
              error={faultAt(error, `/${one}`, typed[one])}
            />
          ))}
          <Alert title={strings.member.preview}>{text.effect(name)}</Alert>
          <Reason value={reason} onChange={setReason} error={error} />
        </>
      )}
    </ChangeDialog>
  )
}

export const Limits = () => {
  const limits = useLimits()
  const mayChange = useMay()("changeLimits")
  const isUnlimited = useSession().programs === undefined
  const given = useRoles()
  return (
    <Panel title={text.title}>
      <Note mb="xs">{text.hint}</Note>
      <Shown query={limits}>
        {(all) => (
          <Listing
            label={text.title}
            minWidth={640}
            rows={all.filter(({ role }) => scopesOf(role).has("points:give"))}
            keyOf={({ role }) => role}
            columns={[
              { label: staffStrings.role, cell: ({ role }) => staffStrings.roles[role] },
              ...limitNames.map((name) => ({
                label: text.names[name],
                isNumber: true,
                cell: ({ [name]: most }: LimitsOf) => (most === undefined ? text.none : number(most))
              })),
              {
                label: "",
                width: 160,
                cell: (one) =>
                  mayChange && isUnlimited && one.role !== "owner" && given.includes(one.role) ? (
                    <Change limits={one} />
                  ) : undefined
              }
            ]}
          />
        )}
      </Shown>
    </Panel>
  )
}

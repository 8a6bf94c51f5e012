/** Changes limits: of a role, or of one person. */
import { Alert } from "@mantine/core"
import { useState } from "react"
import { limitNames } from "../../contract/protocol/Problem.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { NumberField } from "../shared/form/NumberField.tsx"
import { Reason } from "../shared/form/Reason.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt } from "../shared/States.tsx"
import { staffStrings } from "../shared/staffStrings.ts"
import { strings } from "../shared/strings.ts"
import type { Most } from "./limits.ts"

const text = staffStrings.limits

export const ChangeLimits = (props: {
  /** The role or the person. */
  readonly name: string
  readonly now: Most
  readonly effect: string
  /** In an empty field. */
  readonly none: string
  readonly run: (limits: Most & { readonly reason: string }) => Promise<unknown>
}) => {
  const refresh = useRefresh("limits", "account", "staff")
  const [typed, setTyped] = useState<Readonly<Record<string, number | string>>>({})
  const [reason, setReason] = useState("")
  return (
    <ChangeDialog
      help="people"
      label={text.change}
      name={staffStrings.people.of(text.change, props.name)}
      isReady={reason !== ""}
      begin={() => {
        setTyped(props.now)
        setReason("")
      }}
      done={refresh}
      run={() => {
        const given = limitNames.filter((one) => (typed[one] ?? "") !== "")
        return props.run({ ...Object.fromEntries(given.map((one) => [one, Number(typed[one])])), reason })
      }}
    >
      {(error: unknown) => (
        <>
          {limitNames.map((one) => (
            <NumberField
              key={one}
              label={text.names[one]}
              placeholder={props.none}
              value={typed[one] ?? ""}
              onChange={(value) => setTyped((before) => ({ ...before, [one]: value }))}
              error={faultAt(error, `/${one}`, typed[one])}
            />
          ))}
          <Alert title={strings.member.preview}>{props.effect}</Alert>
          <Reason value={reason} onChange={setReason} error={error} />
        </>
      )}
    </ChangeDialog>
  )
}

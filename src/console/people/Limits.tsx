/** Limits on giving, by role. Owners change them. */
import { LimitChange } from "../../contract/admin/Limits.ts"
import { limitNames } from "../../contract/protocol/Problem.ts"
import { scopesOf } from "../../contract/Roles.ts"
import { number } from "../shared/format.ts"
import { Listing } from "../shared/Listing.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { Shown } from "../shared/States.tsx"
import { useMay, useSession } from "../shared/session.tsx"
import { staffStrings } from "../shared/staffStrings.ts"
import { ChangeLimits } from "./ChangeLimits.tsx"
import type { LimitsOf } from "./limits.ts"
import { limitsClient, useLimits } from "./limits.ts"
import { useRoles } from "./staff.ts"

const text = staffStrings.limits

const Change = ({ limits: { role, ...now } }: { readonly limits: LimitsOf }) => {
  const name = staffStrings.roles[role]
  return (
    <ChangeLimits
      name={name}
      effect={text.effect(name)}
      none={text.none}
      schema={LimitChange}
      start={{ role, ...now }}
      send={(payload) => limitsClient.limits.changeLimits({ payload })}
    />
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

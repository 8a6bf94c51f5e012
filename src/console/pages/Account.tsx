/** The signed-in person's own account: passkeys and sessions. */
import { Stack } from "@mantine/core"
import { limitNames } from "../../contract/protocol/Problem.ts"
import { number } from "../app/format.ts"
import { useOwnAccount } from "../app/account.ts"
import { useSession } from "../app/session.tsx"
import { staffStrings } from "../app/staffStrings.ts"
import { Facts } from "../ui/Facts.tsx"
import { Heading } from "../ui/Heading.tsx"
import { Note } from "../ui/Note.tsx"
import { Panel } from "../ui/Panel.tsx"
import { Empty } from "../ui/States.tsx"
import { OwnPasskeys } from "./account/OwnPasskeys.tsx"
import { OwnSessions } from "./account/OwnSessions.tsx"

const text = staffStrings.account

export const Account = () => {
  const { name, user } = useSession()
  const limits = useOwnAccount().data?.limits
  const limitWords = limitNames.flatMap((one) => {
    const most = limits?.[one]
    return most === undefined ? [] : [staffStrings.limits.ownOf[one](number(most))]
  })
  return (
    <Stack>
      <Heading>{text.title}</Heading>
      {user === undefined ? (
        <Empty title={text.keyOnly}>{text.keyOnlyHint}</Empty>
      ) : (
        <>
          <Panel title={text.who}>
            <Facts
              facts={[
                [staffStrings.name, <bdi key="name">{name}</bdi>],
                [staffStrings.email, <bdi key="email">{user.email}</bdi>],
                [
                  staffStrings.role,
                  <>
                    {staffStrings.roles[user.role]}
                    <Note size="xs">{staffStrings.roleDoes[user.role]}</Note>
                  </>
                ],
                ...(limitWords.length === 0 ? [] : [[staffStrings.limits.own, limitWords.join(", ")] as const])
              ]}
            />
          </Panel>
          <OwnPasskeys />
          <OwnSessions />
        </>
      )}
    </Stack>
  )
}

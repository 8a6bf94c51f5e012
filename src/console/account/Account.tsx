/** The signed-in person's own account: passkeys and sessions. */
import { Stack } from "@mantine/core"
import { chooseLanguage } from "../shared/account.ts"
import { Facts } from "../shared/Facts.tsx"
import { Heading } from "../shared/Heading.tsx"
import { useOwnLimits } from "../shared/ownLimits.ts"
import { Panel } from "../shared/Panel.tsx"
import { Empty } from "../shared/States.tsx"
import { useSession } from "../shared/session.tsx"
import { staffStrings } from "../shared/staffStrings.ts"
import { LanguageInput } from "./LanguageInput.tsx"
import { OwnPasskeys } from "./OwnPasskeys.tsx"
import { OwnSessions } from "./OwnSessions.tsx"
import { RoleDoes } from "./RoleDoes.tsx"

const text = staffStrings.account

export const Account = () => {
  const session = useSession()
  const { name, user } = session
  const limitWords = useOwnLimits()
  return (
    <Stack>
      <Heading help="account">{text.title}</Heading>
      {user === undefined ? (
        <Empty title={text.keyOnly}>{text.keyOnlyHint}</Empty>
      ) : (
        <>
          <Panel title={text.who}>
            <Facts
              facts={[
                [staffStrings.name, <bdi key="name">{name}</bdi>],
                [staffStrings.email, <bdi key="email">{user.email}</bdi>],
                [staffStrings.role, <RoleDoes key="role" role={user.role} limits={session} />],
                ...(limitWords.length === 0 ? [] : [[staffStrings.limits.own, limitWords.join(", ")] as const])
              ]}
            />
          </Panel>
          <OwnPasskeys />
          <OwnSessions />
        </>
      )}
      {user === undefined ? <LanguageInput /> : <LanguageInput keep={chooseLanguage} />}
    </Stack>
  )
}

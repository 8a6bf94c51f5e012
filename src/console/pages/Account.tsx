/** The signed-in person's own account: passkeys and sessions. */
import { Stack } from "@mantine/core"
import { chooseLanguage } from "../app/account.ts"
import { useOwnLimits } from "../app/ownLimits.ts"
import { useSession } from "../app/session.tsx"
import { staffStrings } from "../app/staffStrings.ts"
import { Facts } from "../ui/Facts.tsx"
import { Heading } from "../ui/Heading.tsx"
import { LanguageInput } from "../ui/LanguageInput.tsx"
import { Panel } from "../ui/Panel.tsx"
import { RoleDoes } from "../ui/RoleDoes.tsx"
import { Empty } from "../ui/States.tsx"
import { OwnPasskeys } from "./account/OwnPasskeys.tsx"
import { OwnSessions } from "./account/OwnSessions.tsx"

const text = staffStrings.account

export const Account = () => {
  const session = useSession()
  const { name, user } = session
  const limitWords = useOwnLimits()
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

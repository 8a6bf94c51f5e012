/** How a guest is recognised: cards are added, replaced and removed. */
import { Alert, Badge, Group, Stack, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import type { MemberShown } from "../../contract/admin/Members.ts"
import { OneMember } from "../../contract/admin/Members.ts"
import { call, client } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { labelOf } from "../shared/words/words.ts"
import { guestStrings } from "./guestStrings.ts"
import { Known } from "./Known.tsx"
import { memberStrings } from "./memberStrings.ts"

const admin = client(OneMember)

const text = guestStrings

type Member = (typeof MemberShown.Type)["member"]
type Identity = Member["identities"][number]

/** Cards and the like: what a guest carries. The others follow from the profile. */
const isCard = ({ type }: Identity): boolean => type === "loyalty_id" || type === "token"

const change = (
  { member_id, program_id }: Member,
  payload: { readonly add?: ReadonlyArray<Identity>; readonly remove?: ReadonlyArray<Identity> }
) => call(admin.member.changeMemberIdentities({ params: { program_id, member_id }, payload }))

/** Adds a card, or puts one in the place of another: both or neither. */
const Card = ({ before, member }: { readonly member: Member; readonly before?: Identity }) => {
  const refresh = useRefresh()
  const [value, setValue] = useState("")
  const [issuer, setIssuer] = useState("")
  const card: Identity =
    before === undefined
      ? { type: "loyalty_id", value: value.trim(), ...(issuer.trim() === "" ? {} : { issuer: issuer.trim() }) }
      : { ...before, value: value.trim() }
  return (
    <ChangeDialog
      label={before === undefined ? text.addCard : text.replace}
      {...(before === undefined ? undefined : { name: text.replaceOf(before.value) })}
      isReady={value.trim() !== "" && value.trim() !== before?.value}
      begin={() => {
        setValue("")
        setIssuer(member.identities.find(isCard)?.issuer ?? "")
      }}
      done={refresh}
      run={() => change(member, { add: [card], ...(before === undefined ? {} : { remove: [before] }) })}
    >
      {(error: unknown) => (
        <>
          <TextInput
            label={before === undefined ? text.card : text.newCard}
            description={text.cardHint}
            autoComplete="off"
            required
            value={value}
            onChange={({ currentTarget }) => setValue(currentTarget.value)}
            error={faultAt(error, "/add/0/value", value)}
          />
          {before === undefined ? (
            <TextInput
              label={text.issuer}
              description={text.issuerHint}
              autoComplete="off"
              value={issuer}
              onChange={({ currentTarget }) => setIssuer(currentTarget.value)}
              error={faultAt(error, "/add/0/issuer", issuer)}
            />
          ) : (
            <Alert title={strings.member.preview}>{text.replacePreview(before.value)}</Alert>
          )}
          <Known program_id={member.program_id} typed={[value]} but={member.member_id} />
        </>
      )}
    </ChangeDialog>
  )
}

const Remove = ({ identity, member }: { readonly member: Member; readonly identity: Identity }) => (
  <ChangeDialog
    label={text.remove}
    name={text.removeOf(identity.value)}
    isDangerous
    done={useRefresh()}
    run={() => change(member, { remove: [identity] })}
  >
    <Alert color="red" title={strings.member.preview}>
      {text.removePreview(identity.value)}
    </Alert>
  </ChangeDialog>
)

export const Identities = ({ member }: { readonly member: Member }) => {
  const may = useMay()
  const mayChange = may("changeMemberIdentities") && member.status === "active"
  return (
    <Panel title={memberStrings.identities} actions={mayChange ? <Card member={member} /> : undefined}>
      {member.identities.length === 0 ? <Text c="dimmed">{memberStrings.noIdentities}</Text> : undefined}
      <Stack gap="xs">
        {member.identities.map((one) => (
          <Group key={`${one.type} ${one.issuer ?? ""} ${one.value}`} justify="space-between" gap="xs">
            <Text component="div" size="sm" style={{ overflowWrap: "anywhere", flex: "1 1 10rem" }}>
              <Badge variant="default" mr="xs">
                {labelOf(one.type)}
              </Badge>
              <bdi>{one.value}</bdi>
              {one.issuer === undefined ? "" : ` (${one.issuer})`}
            </Text>
            {mayChange ? (
              <Group gap="xs">
                {isCard(one) ? <Card member={member} before={one} /> : undefined}
                {member.identities.length > 1 ? <Remove member={member} identity={one} /> : undefined}
              </Group>
            ) : undefined}
          </Group>
        ))}
      </Stack>
      {mayChange && member.identities.length === 1 && member.identities.every(isCard) ? (
        <Note size="xs">{text.last}</Note>
      ) : undefined}
    </Panel>
  )
}

/** How a guest is recognised: cards are added, replaced and removed. */
import { Alert, Badge, Group, Stack, Text } from "@mantine/core"
import type { MemberShown } from "../../contract/admin/Members.ts"
import { IdentitiesChange, OneMember } from "../../contract/admin/Members.ts"
import { client } from "../shared/client.ts"
import type { Draft } from "../shared/form/draft.ts"
import { valueAt } from "../shared/form/draft.ts"
import { Field } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { Note } from "../shared/Note.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { labelOf } from "../shared/words/words.ts"
import { isCard } from "./cards.ts"
import { guestStrings } from "./guestStrings.ts"
import { Known } from "./Known.tsx"
import { memberStrings } from "./memberStrings.ts"

const admin = client(OneMember)

const text = guestStrings

type Member = (typeof MemberShown.Type)["member"]
type Identity = Member["identities"][number]

/** Adds a card, or puts one in the place of another: both or neither. */
const Card = ({ before, member }: { readonly member: Member; readonly before?: Identity }) => {
  const { identities, member_id, program_id } = member
  const newOf = (payload: Draft) => valueAt(payload, "/add/0/value")
  return (
    <FormDialog
      label={before === undefined ? text.addCard : text.replace}
      {...(before === undefined ? undefined : { name: text.replaceOf(before.value) })}
      schema={IdentitiesChange}
      start={
        before === undefined
          ? { add: [{ type: "loyalty_id", issuer: identities.find(isCard)?.issuer }] }
          : { add: [{ ...before, value: "" }], remove: [before] }
      }
      isReady={(payload) => newOf(payload) !== before?.value}
      send={(payload) => admin.member.changeMemberIdentities({ params: { program_id, member_id }, payload })}
      done={useRefresh()}
    >
      {(payload) => (
        <>
          <Field
            at="/add/0/value"
            label={before === undefined ? text.card : text.newCard}
            hint={text.cardHint}
            input={{ autoComplete: "off" }}
          />
          {before === undefined ? (
            <Field at="/add/0/issuer" label={text.issuer} hint={text.issuerHint} input={{ autoComplete: "off" }} />
          ) : (
            <Alert title={strings.member.preview}>{text.replacePreview(before.value)}</Alert>
          )}
          <Known program_id={program_id} typed={[String(newOf(payload) ?? "")]} but={member_id} />
        </>
      )}
    </FormDialog>
  )
}

const Remove = ({ identity, member }: { readonly member: Member; readonly identity: Identity }) => {
  const { member_id, program_id } = member
  return (
    <FormDialog
      label={text.remove}
      name={text.removeOf(identity.value)}
      isDangerous
      schema={IdentitiesChange}
      start={{ remove: [identity] }}
      send={(payload) => admin.member.changeMemberIdentities({ params: { program_id, member_id }, payload })}
      done={useRefresh()}
    >
      <Alert color="red" title={strings.member.preview}>
        {text.removePreview(identity.value)}
      </Alert>
    </FormDialog>
  )
}

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

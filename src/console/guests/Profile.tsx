/** A member's profile: shown, changed field by field, and erased. */
import { Alert, Button, CloseButton, Group, List, NativeSelect, Stack, Table, Text, TextInput } from "@mantine/core"
import { useState } from "react"
import { pathOf } from "../../contract/admin/Members.ts"
import type { PlatformMember } from "../../contract/platform/Members.ts"
import { Erasure, Members } from "../../contract/platform/Members.ts"
import { call, client, Worded } from "../shared/client.ts"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { ReasonField } from "../shared/form/Field.tsx"
import { FormDialog } from "../shared/form/FormDialog.tsx"
import { NumberField } from "../shared/form/NumberField.tsx"
import { calendarDay, countryName, number, timeShort } from "../shared/format.ts"
import { language } from "../shared/language.ts"
import { Note } from "../shared/Note.tsx"
import { OwnLimits } from "../shared/OwnLimits.tsx"
import { Panel } from "../shared/Panel.tsx"
import { useProgram, useZone } from "../shared/program.tsx"
import { useRefresh } from "../shared/refresh.ts"
import { faultAt } from "../shared/States.tsx"
import { useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { pointerTo } from "../shared/words/words.ts"
import type { Entered, ProfileDraft, ProfileText } from "./profileForm.ts"
import { attributesOf, changedByBoth, changeOf, draftOf, faultOf, texts } from "./profileForm.ts"
import { profileStrings } from "./profileStrings.ts"

const platform = client(Members)

const text = profileStrings

/** A text for an attribute's value, which may be nested. */
const shownValue = (value: unknown): string => {
  if (typeof value === "boolean") return value ? text.yes : text.no
  if (typeof value === "number") return number(value)
  if (Array.isArray(value)) return value.map(shownValue).join(", ")
  if (typeof value === "object" && value !== null)
    return Object.entries(value)
      .map(([name, inner]) => `${name}: ${shownValue(inner)}`)
      .join(", ")
  return value === null ? text.nothing : String(value)
}

/** The initial value for each kind of attribute. */
const begun = {
  text: { kind: "text", value: "" },
  number: { kind: "number", value: "" },
  flag: { kind: "flag", value: true }
} as const
type Kind = keyof typeof begun

const ValueInput = ({
  entered,
  error,
  onChange
}: {
  readonly entered: Entered
  readonly error: string | undefined
  readonly onChange: (changed: Entered) => void
}) => {
  const common = { "aria-label": text.valueOf(entered.name), error, style: { flex: "1 1 8rem" } }
  switch (entered.kind) {
    case "text":
      return (
        <TextInput
          {...common}
          dir="auto"
          value={entered.value}
          onChange={({ currentTarget }) => onChange({ ...entered, value: currentTarget.value })}
        />
      )
    case "number":
      return (
        <NumberField
          {...common}
          decimals={6}
          hasSign
          value={entered.value}
          onChange={(value) => onChange({ ...entered, value })}
        />
      )
    case "flag":
      return (
        <NativeSelect
          {...common}
          value={String(entered.value)}
          data={[
            { value: "true", label: text.yes },
            { value: "false", label: text.no }
          ]}
          onChange={({ currentTarget }) => onChange({ ...entered, value: currentTarget.value === "true" })}
        />
      )
    case "other":
      return <TextInput {...common} readOnly title={text.otherHint} value={shownValue(entered.value)} />
  }
}

const Attributes = ({
  error,
  onChange,
  value: all
}: {
  readonly error: unknown
  readonly onChange: (all: ReadonlyArray<Entered>) => void
  readonly value: ReadonlyArray<Entered>
}) => {
  const replace = (changed: Entered) => onChange(all.map((one) => (one.id === changed.id ? changed : one)))
  const add = () =>
    onChange([...all, { id: Math.max(-1, ...all.map(({ id }) => id)) + 1, name: "", kind: "text", value: "" }])
  const refusal = faultAt(error, "/attributes", all)
  return (
    <Stack gap="xs" role="group" aria-label={text.attributes}>
      <Text size="sm" fw={500}>
        {text.attributes}
      </Text>
      {all.map((one) => {
        const own = faultOf(one, all)
        const fault = own === undefined || own === "empty" ? undefined : text.entryFaults[own]
        return (
          <Group key={one.id} gap="xs" align="flex-start" wrap="wrap">
            <TextInput
              aria-label={text.attributeName}
              placeholder={text.attributeName}
              dir="auto"
              style={{ flex: "1 1 8rem" }}
              value={one.name}
              onChange={({ currentTarget }) => replace({ ...one, name: currentTarget.value })}
              error={own === "repeated" ? fault : undefined}
            />
            {one.kind === "other" ? undefined : (
              <NativeSelect
                aria-label={text.kindOf(one.name)}
                value={one.kind}
                data={(["text", "number", "flag"] as const).map((value) => ({ value, label: text.kinds[value] }))}
                onChange={({ currentTarget }) =>
                  replace({ id: one.id, name: one.name, ...begun[currentTarget.value as Kind] })
                }
              />
            )}
            <ValueInput
              entered={one}
              error={faultAt(error, pointerTo("attributes", one.name), one) ?? (own === "noNumber" ? fault : undefined)}
              onChange={replace}
            />
            <CloseButton
              size="lg"
              aria-label={strings.form.remove(one.name === "" ? text.attribute : one.name)}
              onClick={() => onChange(all.filter(({ id }) => id !== one.id))}
            />
          </Group>
        )
      })}
      {refusal === undefined ? undefined : (
        <Text size="sm" c="var(--mantine-color-error)">
          {refusal}
        </Text>
      )}
      <Group>
        <Button variant="default" size="xs" onClick={add}>
          {text.addAttribute}
        </Button>
      </Group>
    </Stack>
  )
}

const inputs: Readonly<Record<ProfileText, { readonly type?: "date"; readonly inputMode?: "email" | "tel" }>> = {
  display_name: {},
  email: { inputMode: "email" },
  phone: { inputMode: "tel" },
  birth_date: { type: "date" },
  external_id: {}
}

const hintsIn = (country: string | undefined): Readonly<Partial<Record<ProfileText, string>>> => ({
  phone: text.phoneHint(country === undefined ? undefined : countryName(country)),
  external_id: text.externalHint
})

const Edit = ({ member }: { readonly member: PlatformMember }) => {
  const refresh = useRefresh()
  const country = useProgram().data?.program.country
  // The profile when the form opened, so that another operator's change is not part of this form's change.
  const [before, setBefore] = useState(member)
  const [draft, setDraft] = useState<ProfileDraft>(() => draftOf(member))
  const change = changeOf(before, draft, country)
  const isSound = draft.attributes.every((one) => faultOf(one, draft.attributes) === undefined)
  return (
    <ChangeDialog
      label={text.edit}
      submit={text.save}
      begin={() => {
        setBefore(member)
        setDraft(draftOf(member))
      }}
      done={refresh}
      isReady={change !== undefined && isSound}
      run={async () => {
        const { member_id, program_id } = before
        const now = await call(platform.platform_members.findMembers({ query: { program_id, member_id } }))
        if (now.member !== undefined) {
          const lost = changedByBoth(before, now.member, change)
          // A second save replaces them: by then they were shown.
          setBefore({ ...before, ...Object.fromEntries(lost.map((name) => [name, now.member?.[name]])) })
          if (lost.length > 0)
            throw new Worded(
              lost.map((name) => text.changedMeanwhile(text.fields[name], now.member?.[name] ?? text.nothing)).join(" ")
            )
        }
        await call(platform.platform_members.upsertMember({ payload: change ?? {} }))
      }}
    >
      {(error: unknown) => (
        <>
          {texts.map((name) => (
            <TextInput
              key={name}
              label={text.fields[name]}
              description={hintsIn(country)[name]}
              dir="auto"
              autoComplete="off"
              {...inputs[name]}
              value={draft[name]}
              onChange={({ currentTarget }) => setDraft({ ...draft, [name]: currentTarget.value })}
              error={faultAt(error, `/${name}`, draft[name])}
            />
          ))}
          <Attributes
            error={error}
            value={draft.attributes}
            onChange={(attributes) => setDraft({ ...draft, attributes })}
          />
        </>
      )}
    </ChangeDialog>
  )
}

/** True of texts that differ in case and blanks alone. */
const isSame = (one: string, other: string): boolean =>
  one.trim().replaceAll(/\s+/g, " ").toLowerCase() === other.replaceAll(/\s+/g, " ").toLowerCase()

const Erase = ({ member: { display_name = "", member_id, program_id } }: { readonly member: PlatformMember }) => {
  // People type the name, and the number only of a guest who has none.
  const known = display_name.trim() === "" ? member_id : display_name.trim()
  const [typed, setTyped] = useState("")
  return (
    <FormDialog
      label={text.erase}
      isDangerous
      schema={Erasure}
      start={{ member_id, program_id }}
      isReady={() => isSame(typed, known)}
      end={() => setTyped("")}
      send={(payload) => platform.platform_members.eraseMember({ payload })}
      done={useRefresh()}
    >
      <OwnLimits program={program_id} names={["points_per_action", "points_per_day", "rewards_per_day"]} />
      <Alert color="red" title={text.eraseWarning}>
        <Text size="sm">{text.closes}</Text>
        <Text size="sm" fw={600}>
          {text.goes}
        </Text>
        <List size="sm">
          {text.going.map((one) => (
            <List.Item key={one}>{one}</List.Item>
          ))}
        </List>
        <Text size="sm" fw={600} mt="xs">
          {text.stays}
        </Text>
        <List size="sm">
          {text.staying.map((one) => (
            <List.Item key={one}>{one}</List.Item>
          ))}
        </List>
      </Alert>
      <ReasonField />
      <TextInput
        label={text.typeToErase(known)}
        required
        autoComplete="off"
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
    </FormDialog>
  )
}

export const Profile = ({ member }: { readonly member: PlatformMember }) => {
  const may = useMay()
  const zone = useZone()
  const attributes = attributesOf(member)
  const rows: ReadonlyArray<readonly [string, string | undefined]> = [
    ...texts.map(
      (name) =>
        [
          text.fields[name],
          name === "birth_date" && member.birth_date !== undefined ? calendarDay(member.birth_date) : member[name]
        ] as const
    ),
    // The page for guests writes where a guest has joined.
    ...attributes.map(([name, value]) => [name === "join_location" ? text.joinedAt : name, shownValue(value)] as const)
  ]
  return (
    <Panel
      title={text.title}
      actions={
        <Group gap="xs">
          {may("upsertMember") && member.status === "active" ? <Edit member={member} /> : undefined}
          {may("printMember") ? (
            <Button
              component="a"
              variant="default"
              target="_blank"
              href={`${pathOf(member.program_id, member.member_id)}/export.html?language=${language}`}
            >
              {text.toPrint}
            </Button>
          ) : undefined}
          {may("exportMember") ? (
            <Button
              component="a"
              variant="default"
              download
              href={`${pathOf(member.program_id, member.member_id)}/export.json`}
            >
              {text.everything}
            </Button>
          ) : undefined}
          {may("eraseMember") ? <Erase member={member} /> : undefined}
        </Group>
      }
    >
      <Stack gap="xs">
        {member.status === "active" || !may("upsertMember") ? undefined : (
          <Note>{text.unchangeable[member.status]}</Note>
        )}
        <Table layout="fixed" aria-label={text.title}>
          <Table.Tbody>
            {rows.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row" w="9rem" style={{ overflowWrap: "anywhere" }}>
                  <bdi>{name}</bdi>
                </Table.Th>
                <Table.Td style={{ overflowWrap: "anywhere" }}>
                  {value === undefined ? <Note span>{text.nothing}</Note> : <bdi>{value}</bdi>}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {member.updated_at === undefined ? undefined : (
          <Note size="xs">{text.changedLast(timeShort(member.updated_at, zone))}</Note>
        )}
      </Stack>
    </Panel>
  )
}

import { Anchor, Button, Code, Group, NativeSelect, Stack, Table, Text, TextInput, Title } from "@mantine/core"
import { useNavigate, useSearch } from "@tanstack/react-router"
import type { FormEvent } from "react"
import { Fragment, useState } from "react"
import { auditPath, Audits } from "../../contract/admin/Audit.ts"
import type { AuditEntry } from "../../contract/admin/Audit.ts"
import type { AuditSearch } from "../app/auditSearch.ts"
import { auditSearch } from "../app/auditSearch.ts"
import { call, client } from "../app/client.ts"
import { endOfDay, startOfDay, timeShort } from "../app/format.ts"
import { usePaged } from "../app/paged.ts"
import { useZone } from "../app/program.tsx"
import { strings } from "../app/strings.ts"
import { labelOf } from "../app/words.ts"
import { More } from "../ui/More.tsx"
import { Empty, Shown } from "../ui/States.tsx"
import { Wide } from "../ui/Wide.tsx"

const admin = client(Audits)

const text = strings.audit

/** The filters as the surface takes them: a day is whole, from its first instant to its last. */
const queryOf = ({ from, until, ...others }: AuditSearch, zone: string) => ({
  ...others,
  ...(from === undefined ? {} : { from: startOfDay(from, zone) }),
  ...(until === undefined ? {} : { until: endOfDay(until, zone) })
})

/** The actions to choose from; one of the address that is none of them stays as it is. */
const actionsWith = (chosen: string | undefined) => [
  { value: "", label: text.anyAction },
  ...Object.entries(text.actions).map(([value, label]) => ({ value, label })),
  ...(chosen === undefined || chosen === "" || chosen in text.actions ? [] : [{ value: chosen, label: chosen }])
]

const fields: ReadonlyArray<{ readonly name: keyof AuditSearch; readonly type: "search" | "date" }> = [
  { name: "actor", type: "search" },
  { name: "action", type: "search" },
  { name: "subject", type: "search" },
  { name: "from", type: "date" },
  { name: "until", type: "date" }
]

const Filters = () => {
  const filters = useSearch({ from: "/audit" })
  const navigate = useNavigate({ from: "/audit" })
  const [typed, setTyped] = useState(filters)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void navigate({
      search: ({ program }) => ({ ...(program === undefined ? {} : { program }), ...auditSearch(typed) })
    })
  }
  return (
    <form onSubmit={submit}>
      <Group align="flex-end">
        {fields.map(({ name, type }) => {
          const common = {
            label: text[name],
            value: typed[name] ?? "",
            onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
              setTyped({ ...typed, [name]: currentTarget.value })
          }
          return name === "action" ? (
            <NativeSelect key={name} {...common} data={actionsWith(filters.action)} />
          ) : (
            <TextInput key={name} type={type} {...common} />
          )
        })}
        <Button type="submit" variant="default">
          {strings.states.filter}
        </Button>
      </Group>
    </form>
  )
}

const json = (value: unknown): string => JSON.stringify(value, undefined, 2)

const Changes = ({ changes }: { readonly changes: (typeof AuditEntry.Type)["changes"] | undefined }) => {
  if (changes === undefined) return undefined
  const sides = [
    [text.before, changes.before],
    [text.after, changes.after]
  ] as const
  return (
    <details>
      <summary>{text.changes}</summary>
      {sides.map(([label, value]) =>
        value === undefined ? undefined : (
          <Fragment key={label}>
            <Text size="xs">{label}</Text>
            <Code block>{json(value)}</Code>
          </Fragment>
        )
      )}
    </details>
  )
}

export const Audit = () => {
  const filters = auditSearch(useSearch({ from: "/audit" }) as Record<string, unknown>)
  const zone = useZone()
  const audit = usePaged(["audit", filters, zone], (page) =>
    call(admin.audit.audit({ query: { ...queryOf(filters, zone), ...page } }))
  )
  const csv = `${auditPath}.csv?${new URLSearchParams(queryOf(filters, zone)).toString()}`
  return (
    <Stack>
      <Group justify="space-between" align="baseline">
        <Title order={1}>{text.title}</Title>
        <Anchor href={csv} download size="sm">
          {text.csv}
        </Anchor>
      </Group>
      <Text c="dimmed">{`${text.hint} ${strings.member.zone(zone)}.`}</Text>
      <Filters />
      <Shown query={audit}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries)
          if (entries.length === 0) return <Empty title={text.none}>{text.noneHint}</Empty>
          return (
            <>
              <Wide label={text.title} minWidth={640}>
                <Table>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>{text.when}</Table.Th>
                      <Table.Th>{text.actor}</Table.Th>
                      <Table.Th>{text.what}</Table.Th>
                      <Table.Th>{text.reason}</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {entries.map(({ action, actor, at, audit_id, changes, reason, source_ip, subject }) => (
                      <Table.Tr key={audit_id} style={{ verticalAlign: "top" }}>
                        <Table.Td>{timeShort(at, zone)}</Table.Td>
                        <Table.Td>
                          <bdi>{actor.name}</bdi>
                          {source_ip === undefined ? undefined : (
                            <Text size="xs" c="dimmed">
                              {text.via(source_ip)}
                            </Text>
                          )}
                        </Table.Td>
                        <Table.Td style={{ overflowWrap: "anywhere" }}>
                          {text.actions[action] ?? action}
                          <Text size="xs" c="dimmed">
                            {`${labelOf(subject.type)} `}
                            <bdi>{subject.id}</bdi>
                          </Text>
                          <Changes changes={changes} />
                        </Table.Td>
                        <Table.Td style={{ overflowWrap: "anywhere" }}>{reason}</Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </Wide>
              <More query={audit} />
            </>
          )
        }}
      </Shown>
    </Stack>
  )
}

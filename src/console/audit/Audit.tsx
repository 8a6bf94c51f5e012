import "../shared/words/labels.ts"
import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core"
import { useNavigate, useSearch } from "@tanstack/react-router"
import type { FormEvent } from "react"
import { Suspense, useEffect, useState } from "react"
import type { AuditEntry } from "../../contract/admin/Audit.ts"
import { Audits, auditPath } from "../../contract/admin/Audit.ts"
import { usePersonName } from "../people/staff.ts"
import type { ProgramChange } from "../programme/moneyChanges.ts"
import { Differences } from "../shared/ChangeList.tsx"
import { call, client } from "../shared/client.ts"
import { endOfDay, startOfDay, timeShort } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { later } from "../shared/Later.tsx"
import { Note } from "../shared/Note.tsx"
import { PagedListing } from "../shared/PagedListing.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { usePaged } from "../shared/paged.ts"
import { useNames, useProgram, useZone } from "../shared/program.tsx"
import { Empty } from "../shared/States.tsx"
import { useSession } from "../shared/session.tsx"
import { CsvLink } from "../shared/spreadsheets/CsvLink.tsx"
import { strings } from "../shared/strings.ts"
import { labelOf } from "../shared/words/words.ts"
import type { AuditSearch } from "./auditSearch.ts"
import { auditSearch } from "./auditSearch.ts"
import { auditStrings } from "./auditStrings.ts"

const ProgramChanges = later(() => import("../programme/ProgramChanges.tsx"), "ProgramChanges")

const admin = client(Audits)

const text = auditStrings
/** By codes of the contract, which may be newer than the page. */
const subjects: Readonly<Record<string, string>> = text.subjects
const actions: Readonly<Record<string, string>> = text.actions

type Entry = typeof AuditEntry.Type

/** The filters as query parameters. A day covers its first to its last instant. */
const queryOf = ({ from, until, ...others }: AuditSearch, zone: string) => ({
  ...others,
  ...(from === undefined ? {} : { from: startOfDay(from, zone) }),
  ...(until === undefined ? {} : { until: endOfDay(until, zone) })
})

/** The actions to choose from. Keeps an unknown action from the address. */
const actionsWith = (chosen: string | undefined) => [
  { value: "", label: text.anyAction },
  ...Object.entries(text.actions).map(([value, label]) => ({ value, label })),
  ...(chosen === undefined || chosen === "" || chosen in text.actions ? [] : [{ value: chosen, label: chosen }])
]

const fields: ReadonlyArray<{
  readonly name: keyof AuditSearch
  readonly type: "search" | "date"
  readonly placeholder?: string
}> = [
  { name: "actor", type: "search", placeholder: text.actorHint },
  { name: "action", type: "search" },
  { name: "subject", type: "search", placeholder: text.subjectHint },
  { name: "from", type: "date" },
  { name: "until", type: "date" }
]

const Filters = () => {
  const filters = useSearch({ from: "/audit" })
  const navigate = useNavigate({ from: "/audit" })
  const [typed, setTyped] = useState(filters)
  // A link or the back button changes the address. The fields follow it.
  useEffect(() => setTyped(filters), [filters])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    void navigate({
      search: ({ program }) => ({ ...(program === undefined ? {} : { program }), ...auditSearch(typed) })
    })
  }
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" className="filters">
        {fields.map(({ name, placeholder, type }) => {
          const common = {
            label: text[name],
            value: typed[name] ?? "",
            onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
              setTyped({ ...typed, [name]: currentTarget.value })
          }
          return name === "action" ? (
            <NativeSelect key={name} {...common} data={actionsWith(filters.action)} />
          ) : (
            <TextInput key={name} type={type} {...common} {...(placeholder === undefined ? {} : { placeholder })} />
          )
        })}
        <Button type="submit" variant="default">
          {strings.states.filter}
        </Button>
      </Group>
    </form>
  )
}

/** Changes of a programme, as in the entry of a `program.publish`. */
const programChangesIn = (after: unknown): ReadonlyArray<ProgramChange> | undefined => {
  const changes: unknown = typeof after === "object" && after !== null ? Reflect.get(after, "changes") : undefined
  return Array.isArray(changes) ? (changes as ReadonlyArray<ProgramChange>) : undefined
}

const without = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([one]) => one !== name))
    : value

/** `name`: the accessible name, which tells whose changes these are. */
const Changes = ({ changes, name }: { readonly changes: Entry["changes"] | undefined; readonly name: string }) => {
  // The names of what is still there.
  const inForce = useProgram().data?.program ?? {}
  if (changes === undefined) return undefined
  const ofProgram = programChangesIn(changes.after)
  return (
    <details>
      <summary aria-label={name}>{text.changes}</summary>
      <Differences before={changes.before} after={without(changes.after, "changes")} />
      {ofProgram === undefined ? undefined : (
        <Suspense>
          <ProgramChanges changes={ofProgram} before={inForce} after={inForce} />
        </Suspense>
      )}
    </details>
  )
}

const Person = ({ id }: { readonly id: string }) => <bdi>{usePersonName()(id) ?? id}</bdi>

/** A thing by its name, with the id that the filter takes. */
const Named = ({ id, name }: { readonly id: string; readonly name: string }) => (
  <>
    <bdi>{name}</bdi>
    {name === id ? undefined : (
      <>
        {" ("}
        <bdi>{id}</bdi>)
      </>
    )}
  </>
)

const ProgramNamed = ({ id }: { readonly id: string }) => <Named id={id} name={useNames().program(id)} />

const Subject = ({ program_id, subject: { id, name, type } }: Entry) => (
  <Note size="xs">
    {`${subjects[type] ?? labelOf(type)} `}
    {type === "member" && program_id !== undefined ? (
      <PageLink
        to="/members/$program_id/$member_id"
        params={{ program_id, member_id: id }}
        size="xs"
        dir="auto"
        underline="always"
        title={id}
      >
        {name ?? id}
      </PageLink>
    ) : type === "user" ? (
      <Person id={id} />
    ) : type === "program" ? (
      <ProgramNamed id={id} />
    ) : name !== undefined ? (
      <Named id={id} name={name} />
    ) : (
      <bdi>{type === "installation" ? "" : id}</bdi>
    )}
  </Note>
)

export const Audit = () => {
  const filters = auditSearch(useSearch({ from: "/audit" }) as Record<string, unknown>)
  const zone = useZone()
  const { scopes } = useSession()
  const isOwn = !scopes.includes("audit:read") && scopes.includes("audit:own")
  const audit = usePaged(["audit", filters, zone], (page) =>
    call(admin.audit.audit({ query: { ...queryOf(filters, zone), ...page } }))
  )
  const csv = `${auditPath}.csv?${new URLSearchParams(queryOf(filters, zone)).toString()}`
  return (
    <Stack>
      <Group justify="space-between" align="baseline">
        <Heading help="audit">{text.title}</Heading>
        <CsvLink href={csv}>{text.csv}</CsvLink>
      </Group>
      <Text c="dimmed">{`${isOwn ? text.ownHint : text.hint} ${strings.member.zone(zone)}.`}</Text>
      <Filters />
      <PagedListing
        query={audit}
        rowsOf={({ entries }) => entries}
        empty={
          <Empty title={text.none}>
            {text.noneHint}{" "}
            <PageLink to="/audit" underline="always">
              {text.clear}
            </PageLink>
          </Empty>
        }
        hasFrame
        label={text.title}
        minWidth={640}
        keyOf={({ audit_id }) => audit_id}
        columns={[
          { label: text.when, width: 170, cell: ({ at }) => timeShort(at, zone) },
          {
            label: text.actor,
            width: 170,
            cell: ({ actor, source_ip }) => (
              <>
                <bdi>{actor.name}</bdi>
                {source_ip === undefined ? undefined : <Note size="xs">{text.via(source_ip)}</Note>}
              </>
            )
          },
          {
            label: text.what,
            isLong: true,
            cell: (entry) => (
              <>
                {actions[entry.action] ?? entry.action}
                <Subject {...entry} />
                <Changes
                  changes={entry.changes}
                  name={text.changesOf(actions[entry.action] ?? entry.action, timeShort(entry.at, zone))}
                />
              </>
            )
          },
          { label: text.reason, isLong: true, cell: ({ reason }) => reason }
        ]}
      />
    </Stack>
  )
}

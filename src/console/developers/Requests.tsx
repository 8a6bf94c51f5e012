import { Anchor, Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core"
import { useNavigate, useSearch } from "@tanstack/react-router"
import type { FormEvent } from "react"
import { useEffect, useState } from "react"
import type { LoggedRequest } from "../../contract/admin/Requests.ts"
import { Requests as RequestGroup } from "../../contract/admin/Requests.ts"
import { call, client } from "../shared/client.ts"
import { timeExact } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { Note } from "../shared/Note.tsx"
import { PagedListing } from "../shared/PagedListing.tsx"
import { PageLink } from "../shared/PageLink.tsx"
import { usePaged } from "../shared/paged.ts"
import { useZone } from "../shared/program.tsx"
import { Empty } from "../shared/States.tsx"
import { Status } from "../shared/Status.tsx"
import { strings } from "../shared/strings.ts"
import { requestStrings } from "./requestStrings.ts"
import type { RequestsSearch } from "./requestsSearch.ts"
import { requestsSearch } from "./requestsSearch.ts"

const admin = client(RequestGroup)

const text = requestStrings

/** The form of the filters. */
const formId = "request-filters"

/** `look`: reads the list again. */
const Filters = ({ look }: { readonly look: () => void }) => {
  const filters = requestsSearch(useSearch({ from: "/developers/requests" }))
  const navigate = useNavigate({ from: "/developers/requests" })
  const [typed, setTyped] = useState<RequestsSearch>(filters)
  const address = JSON.stringify(filters)
  // A link or the back button changes the address. The fields follow it.
  useEffect(() => setTyped(JSON.parse(address) as RequestsSearch), [address])
  const show = (chosen: RequestsSearch): void =>
    void navigate({
      search: ({ program }) => ({ ...(program === undefined ? {} : { program }), ...requestsSearch(chosen) })
    })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (JSON.stringify(requestsSearch(typed)) === address) look()
    else show(typed)
  }
  const set = (name: Exclude<keyof RequestsSearch, "console">) => ({
    value: typed[name] ?? "",
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      setTyped({ ...typed, [name]: currentTarget.value })
  })
  return (
    <form id={formId} onSubmit={submit}>
      <Group align="flex-end" className="filters">
        <NativeSelect
          label={text.status}
          {...set("status")}
          data={Object.entries(text.statuses).map(([value, label]) => ({ value, label }))}
        />
        <TextInput type="search" label={text.code} placeholder={text.codeHint} {...set("code")} />
        <TextInput type="search" label={text.caller} placeholder={text.callerHint} {...set("caller")} />
        <TextInput type="search" label={text.requestId} {...set("request_id")} />
        <Button type="submit" variant="default">
          {strings.states.filter}
        </Button>
        <Checkbox
          label={text.withoutConsole}
          checked={filters.console === undefined}
          onChange={({ currentTarget: { checked } }) => {
            const { console: _, ...others } = typed
            show(checked ? others : { ...others, console: "shown" })
          }}
          mb={8}
        />
      </Group>
    </form>
  )
}

const toneOf = (status: number) => (status >= 500 ? "bad" : status >= 400 ? "waiting" : "good")

const Ids = ({ context_request_id, entries, request_id, reservation_id, trace_id }: LoggedRequest) => (
  <>
    <bdi>{request_id}</bdi>
    {[
      context_request_id === undefined || context_request_id === request_id ? "" : text.inBody(context_request_id),
      entries === undefined ? "" : text.posted(entries),
      reservation_id === undefined ? "" : text.reservation(reservation_id),
      trace_id === undefined ? "" : text.trace(trace_id)
    ]
      .filter((line) => line !== "")
      .map((line) => (
        <Note key={line} size="xs">
          {line}
        </Note>
      ))}
  </>
)

export const Requests = () => {
  const filters = requestsSearch(useSearch({ from: "/developers/requests" }) as Record<string, unknown>)
  const zone = useZone()
  const { console: shown, ...others } = filters
  const query = shown === undefined ? { ...others, console: "false" as const } : others
  const requests = usePaged(["requests", query], (page) =>
    call(admin.requests.requests({ query: { ...query, ...page } }))
  )
  const since = requests.data?.pages[0]?.kept_from
  return (
    <Stack>
      <PageLink to="/developers" size="sm">
        {`← ${text.back}`}
      </PageLink>
      <Group justify="space-between" align="baseline">
        <Heading help="developers">{text.title}</Heading>
        <Button type="submit" form={formId} variant="default" loading={requests.isFetching}>
          {text.refresh}
        </Button>
      </Group>
      {since === undefined ? undefined : <Text c="dimmed">{text.hint(zone, timeExact(since, zone))}</Text>}
      <Filters look={() => void requests.refetch()} />
      <PagedListing
        query={requests}
        rowsOf={(page) => page.requests}
        empty={
          <Empty title={text.none}>
            {text.noneHint}{" "}
            <PageLink to="/developers/requests" underline="always">
              {text.clear}
            </PageLink>
          </Empty>
        }
        hasFrame
        label={text.title}
        minWidth={760}
        keyOf={({ at, request_id }) => `${at} ${request_id}`}
        columns={[
          {
            label: text.when,
            width: 170,
            cell: ({ at, ms }) => (
              <>
                {timeExact(at, zone)}
                <Note size="xs">{text.ms(ms)}</Note>
              </>
            )
          },
          {
            label: text.what,
            isLong: true,
            cell: ({ method, program_id, route }) => (
              <>
                {`${method} ${route ?? text.noRoute}`}
                {program_id === undefined ? undefined : <Note size="xs">{program_id}</Note>}
              </>
            )
          },
          { label: text.caller, cell: ({ caller }) => <bdi>{caller?.name ?? text.nobody}</bdi> },
          {
            label: text.answer,
            width: 190,
            cell: ({ code, pointer, scope, status }) => (
              <>
                <Status tone={toneOf(status)}>{String(status)}</Status>
                {code === undefined ? undefined : (
                  <div>
                    <Anchor
                      href={`/problems/${code.replaceAll("_", "-")}`}
                      size="xs"
                      aria-label={`${text.explain}: ${code}`}
                    >
                      {code}
                    </Anchor>
                  </div>
                )}
                {pointer === undefined ? undefined : <Note size="xs">{text.at(pointer)}</Note>}
                {scope === undefined ? undefined : <Note size="xs">{text.lacked(scope)}</Note>}
              </>
            )
          },
          { label: text.ids, isLong: true, cell: Ids }
        ]}
      />
    </Stack>
  )
}

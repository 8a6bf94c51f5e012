/** Changes of the guest's points, newest first. */
import { useState } from "preact/hooks"
import { useGuest, useOnce, useWork } from "../guest.ts"
import { Action, Title } from "../parts.tsx"
import type { Entry, History } from "../wire.ts"

const Row = ({ entry }: { readonly entry: Entry }) => {
  const { shown, words } = useGuest()
  const { kinds } = words.history
  const { at, kind, location, points, promotions = [], reward, unit } = entry
  const named = kinds[kind] ?? kinds["other"]
  const more = [...(reward === undefined ? [] : [named]), location, ...promotions].filter((one) => one !== undefined)
  return (
    <li class="line">
      <span>
        <strong>{reward ?? named}</strong>
        <small>{[shown.date(at), ...more].join(" · ")}</small>
      </span>
      <span class={points < 0 ? "amount" : "amount plus"}>
        {points > 0 ? "+" : ""}
        {shown.units(points, unit)}
      </span>
    </li>
  )
}

export const HistoryScreen = () => {
  const { api, words } = useGuest()
  const work = useWork()
  const [entries, setEntries] = useState<ReadonlyArray<Entry>>()
  const [cursor, setCursor] = useState<string>()
  const [isArchived, setArchived] = useState(false)
  const load = async (after?: string) => {
    const query = after === undefined ? "" : `&cursor=${encodeURIComponent(after)}`
    const page = await api.get<History>(`/history?limit=20${query}`)
    setEntries((before = []) => [...(after === undefined ? [] : before), ...page.entries])
    setCursor(page.next_cursor)
    setArchived(page.archived === true)
  }
  useOnce(() => work.run(load))
  return (
    <>
      <Title>{words.history.title}</Title>
      {entries === undefined ? (
        <p>{work.fault === undefined ? words.loading : undefined}</p>
      ) : entries.length === 0 ? (
        <p>{words.history.none}</p>
      ) : (
        <ul class="lines">
          {entries.map((entry) => (
            <Row key={`${entry.at} ${entry.kind} ${entry.unit} ${entry.points} ${entry.reward ?? ""}`} entry={entry} />
          ))}
        </ul>
      )}
      {isArchived ? <p class="hint">{words.history.archived}</p> : undefined}
      <p role="alert" class="fault">
        {work.fault}
      </p>
      {cursor !== undefined || work.fault !== undefined ? (
        <Action
          work={work}
          label={entries === undefined ? words.retry : words.history.more}
          onPress={() => load(cursor)}
        />
      ) : undefined}
    </>
  )
}

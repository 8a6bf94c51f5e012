/** The guest's points, and their uses. */
import { useState } from "preact/hooks"
import type { Own } from "../guest.ts"
import { useGuest, useWork } from "../guest.ts"
import { Action, Part, Title } from "../parts.tsx"
import { takingOf } from "../takes.ts"
import type { Me, Offered, Taken } from "../wire.ts"
import { CardPicture } from "./Card.tsx"

/** A share of a whole as a bar; the text beside it says the same. */
const Bar = ({ done, target }: { readonly done: number; readonly target: number }) => (
  <progress max={Math.max(target, 1)} value={Math.max(done, 0)} aria-hidden="true" />
)

/** Dates of expiry that are shown at once. */
const nextDates = 2

/** Points that expire: the next dates, and the sum of all others, with their dates folded. */
const Expiring = ({ expiring, expiring_later = [] }: Pick<Me, "expiring" | "expiring_later">) => {
  const { shown, words } = useGuest()
  const dates = expiring.map(({ at, points, unit }) => (
    <p key={`${unit} ${at}`}>{words.home.expires(shown.units(points, unit), shown.date(at))}</p>
  ))
  const sums = new Map<string | undefined, number>()
  for (const { points, unit } of [...expiring.slice(nextDates), ...expiring_later])
    sums.set(unit, (sums.get(unit) ?? 0) + points)
  const later = Array.from(sums, ([unit, points]) => shown.units(points, unit)).join(", ")
  return (
    <>
      {dates.slice(0, nextDates)}
      {later === "" ? undefined : (
        <details>
          <summary>{words.home.expiresLater(later)}</summary>
          {dates.slice(nextDates)}
        </details>
      )}
    </>
  )
}

const Balances = ({ balances, tier, ...me }: Me) => {
  const { shown, words } = useGuest()
  const text = words.home
  const [missing] = tier?.next?.missing ?? []
  return (
    <div class="balance">
      {balances.map(({ label, points, unit }, place) => (
        <p key={unit} class={place === 0 ? "most" : undefined}>
          {shown.units(points, unit, label)}
        </p>
      ))}
      <Expiring {...me} />
      {tier === undefined ? undefined : <p>{text.tier(tier.name)}</p>}
      {tier?.next === undefined || missing === undefined ? undefined : (
        <p>{text.nextTier(shown.number(missing.missing), tier.next.name)}</p>
      )}
    </div>
  )
}

const WalletItem = ({ reward: { code, expires_at, name } }: { readonly reward: Taken }) => {
  const { shown, words } = useGuest()
  const text = words.home
  const [isShown, setShown] = useState(false)
  return (
    <li class="line">
      <span>
        <strong>{name}</strong>
        {expires_at === undefined ? undefined : <small>{text.until(shown.lastDay(expires_at))}</small>}
      </span>
      {code === undefined ? undefined : (
        <button
          type="button"
          class="plain"
          aria-expanded={isShown}
          aria-label={`${isShown ? text.hide : text.show}: ${name}`}
          onClick={() => setShown(!isShown)}
        >
          {isShown ? text.hide : text.show}
        </button>
      )}
      {isShown && code !== undefined ? <CardPicture value={code} /> : undefined}
    </li>
  )
}

const RewardItem = ({ reload, reward }: Pick<Own, "reload"> & { readonly reward: Offered }) => {
  const { api, facts, say, shown, words } = useGuest()
  const text = words.home
  const work = useWork()
  const [isAsked, setAsked] = useState(false)
  const { available_from, can_take, description, missing, name, points, reward_id, unit, why = "" } = reward
  const cost = shown.units(points, unit)
  const taking = takingOf(facts.program_id, reward_id)
  const cancel = (): void => {
    setAsked(false)
    if (taking.isInDoubt()) work.run(reload)
  }
  return (
    <li class="line">
      <span>
        <strong>{name}</strong>
        {description === undefined ? undefined : <small>{description}</small>}
        <small>{missing > 0 ? `${cost} · ${text.missing(shown.units(missing, unit))}` : cost}</small>
        {text.why[why] === undefined ? undefined : <small>{text.why[why]}</small>}
        {available_from === undefined ? undefined : <small>{text.from(shown.date(available_from))}</small>}
        {missing > 0 ? <Bar done={points - missing} target={points} /> : undefined}
      </span>
      {can_take && !isAsked ? (
        <button type="button" class="main" aria-label={`${text.take}: ${name}`} onClick={() => setAsked(true)}>
          {text.take}
        </button>
      ) : undefined}
      {isAsked ? (
        <div class="ask">
          <p>{text.confirm(name, cost)}</p>
          <div class="row">
            <Action
              work={work}
              kind="main"
              label={text.yes}
              onPress={async () => {
                await taking.send((key) => api.send("POST", "/rewards", { reward_id }, key))
                setAsked(false)
                say(text.taken(name))
                await reload()
              }}
            />
            <button type="button" class="plain" onClick={cancel}>
              {words.cancel}
            </button>
          </div>
        </div>
      ) : undefined}
      <p role="alert" class="fault">
        {work.fault}
      </p>
    </li>
  )
}

/** Texts of campaigns for this guest. */
const News = ({ news }: { readonly news: NonNullable<Me["news"]> }) => {
  const { words } = useGuest()
  return (
    <Part title={words.home.news}>
      <ul class="lines">
        {news.map(({ at, name, text }) => (
          <li class="line" key={`${at} ${text}`}>
            <span>
              {name === undefined ? undefined : <strong>{name}</strong>}
              {name === undefined ? text : <small>{text}</small>}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

const Today = ({ promotions }: Pick<Me, "promotions">) => {
  const { shown, words } = useGuest()
  return (
    <Part title={words.home.promotions}>
      <ul class="lines">
        {promotions.map(({ description, name, until }) => (
          <li class="line" key={name}>
            <span>
              <strong>{name}</strong>
              {description === undefined ? undefined : <small>{description}</small>}
              {until === undefined ? undefined : <small>{words.home.until(shown.lastDay(until))}</small>}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

const Challenges = ({ challenges }: Pick<Me, "challenges">) => {
  const { shown, words } = useGuest()
  const text = words.home
  return (
    <Part title={text.challenges}>
      <ul class="lines">
        {challenges.map(({ description, done, name, target, until }) => (
          <li class="line" key={name}>
            <span>
              <strong>{name}</strong>
              {description === undefined ? undefined : <small>{description}</small>}
              <small>
                {[
                  text.progress(shown.number(done), shown.number(target)),
                  ...(until === undefined ? [] : [text.until(shown.lastDay(until))])
                ].join(" · ")}
              </small>
              <Bar done={done} target={target} />
            </span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

export const HomeScreen = ({ me, reload }: Pick<Own, "me" | "reload">) => {
  const { shown, words } = useGuest()
  const text = words.home
  const { challenges, leaving, member, news, promotions, rewards, wallet } = me
  return (
    <>
      <Title>{member.name === undefined ? text.welcome : text.greeting(member.name)}</Title>
      {leaving === undefined ? undefined : <p class="note">{text.leaving(shown.date(leaving.erases_at))}</p>}
      {member.status === "active" ? undefined : <p class="note">{words.errors.member}</p>}
      <Balances {...me} />
      {news === undefined ? undefined : <News news={news} />}
      {wallet.length === 0 ? undefined : (
        <Part title={text.wallet}>
          <p>{text.walletHint}</p>
          <ul class="lines">
            {wallet.map((reward) => (
              <WalletItem key={reward.issued_reward_id} reward={reward} />
            ))}
          </ul>
        </Part>
      )}
      {promotions.length === 0 ? undefined : <Today promotions={promotions} />}
      <Part title={text.rewards}>
        {rewards.length === 0 ? <p>{text.noRewards}</p> : undefined}
        <ul class="lines">
          {rewards.map((reward) => (
            <RewardItem key={reward.reward_id} reward={reward} reload={reload} />
          ))}
        </ul>
      </Part>
      {challenges.length === 0 ? undefined : <Challenges challenges={challenges} />}
    </>
  )
}

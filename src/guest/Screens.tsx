/** Which screen is shown: to a guest, and to somebody who is not signed in. */
import type { Own } from "./guest.ts"
import { useGuest } from "./guest.ts"
import type { KeptCard } from "./kept.ts"
import { Title } from "./parts.tsx"
import type { Screen } from "./place.ts"
import { AccountScreen } from "./screens/Account.tsx"
import { CardPicture, CardScreen } from "./screens/Card.tsx"
import { ClaimScreen } from "./screens/Claim.tsx"
import { HistoryScreen } from "./screens/History.tsx"
import { HomeScreen } from "./screens/Home.tsx"
import { JoinScreen } from "./screens/Join.tsx"
import { SignIn } from "./screens/SignIn.tsx"

/** Somebody of whom no session is known: not yet, none, no answer, or no network. */
export type Stranger =
  | { readonly is: "asked" }
  | { readonly is: "unknown" }
  | { readonly is: "failed" }
  | { readonly is: "offline"; readonly card: KeptCard | undefined }

/** The card as it was last shown, and marked so. */
const Offline = ({ card }: { readonly card: KeptCard | undefined }) => {
  const { shown, words } = useGuest()
  return (
    <>
      <Title>{words.card.title}</Title>
      <p class="note">
        {card === undefined ? words.offlineNone : `${words.offline} ${words.cardAsOf(shown.date(card.at))}`}
      </p>
      {card === undefined ? undefined : <CardPicture value={card.value} />}
    </>
  )
}

interface OutsideProps {
  readonly guest: Stranger
  readonly screen: Screen
  readonly isClaiming: boolean
  readonly onRetry: () => void
}

export const Outside = ({ guest, isClaiming, onRetry, screen }: OutsideProps) => {
  const { facts, words } = useGuest()
  if (guest.is === "asked") return <p class="wait">{words.loading}</p>
  if (guest.is === "unknown") {
    const at = new URLSearchParams(location.search).get("at") ?? undefined
    return screen === "join" && facts.can_join ? <JoinScreen at={at} /> : <SignIn at={at} isClaiming={isClaiming} />
  }
  return (
    <>
      {guest.is === "offline" ? (
        <Offline card={guest.card} />
      ) : (
        <>
          <Title>{facts.name}</Title>
          <p class="note">{words.errors.busy}</p>
        </>
      )}
      <p>
        <button type="button" class="plain" onClick={onRetry}>
          {words.retry}
        </button>
      </p>
    </>
  )
}

interface ScreensProps extends Own {
  readonly screen: Screen
  /** The receipt's code that waits to be claimed. */
  readonly claim: { readonly kept: () => string; readonly drop: () => void; readonly receipts: number }
}

export const Screens = ({ claim, screen, ...own }: ScreensProps) => {
  const { facts } = useGuest()
  const { me, reload } = own
  if (screen === "card") return <CardScreen value={me.card?.value} name={me.member.name} />
  if (screen === "claim" && facts.can_claim)
    return <ClaimScreen key={claim.receipts} pending={claim.kept()} onClaimed={claim.drop} reload={reload} />
  if (screen === "history") return <HistoryScreen />
  if (screen === "account") return <AccountScreen {...own} />
  return <HomeScreen me={me} reload={reload} />
}

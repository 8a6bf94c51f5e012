/** The answers of `/my/api/v1/{program_id}` as the page reads them. */

export interface PageFacts {
  readonly program_id: string
  readonly name: string
  readonly colour: string
  readonly languages: ReadonlyArray<Language>
  readonly links: ReadonlyArray<{ readonly label: string; readonly url: string }>
  readonly logo_url?: string
  readonly sign_in: { readonly email: boolean; readonly phone: boolean }
  readonly country?: string
  /** Absent in facts that a page of before has kept. */
  readonly time_zone?: string
  readonly can_join: boolean
  readonly can_claim: boolean
  readonly text_version: string
}

export type Language = "en" | "de"

export interface Session {
  readonly csrf_token: string
  readonly by: "code" | "link" | "phone"
  readonly fresh_until?: string
  readonly language: string
}

/** A code on its way to the guest. */
export interface Requested {
  readonly request_id: string
  readonly expires_at: string
}

interface GuestChoice {
  readonly guest: string
  readonly name?: string
  readonly joined_at: string
  readonly card_ending?: string
}

/** The answer to a guest who is signed in. */
export interface SignedIn {
  readonly session: Session
  /** She was leaving. */
  readonly stays?: true
  /** She meant to join. */
  readonly had_account?: true
}

export type SignInAnswer =
  | ({ readonly status: "signed_in" } & SignedIn)
  | { readonly status: "choose"; readonly request_id: string; readonly guests: ReadonlyArray<GuestChoice> }
  | { readonly status: "join"; readonly request_id: string }

export interface ConsentFacts {
  readonly purpose: string
  readonly channel?: string
  readonly granted: boolean
}

export interface JoinFacts {
  readonly name?: string
  readonly birthday?: string
  readonly consents: ReadonlyArray<ConsentFacts>
  readonly at?: string
}

export interface Member {
  readonly name?: string
  readonly birthday?: string
  readonly email?: string
  readonly phone?: string
  readonly language?: string
  readonly status: string
  readonly consents: ReadonlyArray<ConsentFacts>
}

export interface Taken {
  readonly issued_reward_id: string
  readonly name: string
  readonly code?: string
  readonly expires_at?: string
}

export interface Offered {
  readonly reward_id: string
  readonly name: string
  readonly description?: string
  readonly points: number
  readonly unit?: string
  readonly missing: number
  readonly can_take: boolean
  /** Why not. */
  readonly why?: string
  readonly available_from?: string
}

export interface Me {
  readonly member: Member
  readonly balances: ReadonlyArray<{ readonly unit: string; readonly points: number; readonly label?: string }>
  readonly expiring: ReadonlyArray<{ readonly points: number; readonly at: string; readonly unit?: string }>
  readonly expiring_later?: ReadonlyArray<{ readonly points: number; readonly unit: string }>
  readonly tier?: {
    readonly name: string
    readonly next?: { readonly name: string; readonly missing: ReadonlyArray<{ readonly missing: number }> }
  }
  readonly rewards: ReadonlyArray<Offered>
  readonly wallet: ReadonlyArray<Taken>
  readonly card?: { readonly value: string }
  readonly promotions: ReadonlyArray<{ readonly name: string; readonly description?: string; readonly until?: string }>
  readonly challenges: ReadonlyArray<{
    readonly name: string
    readonly description?: string
    readonly done: number
    readonly target: number
    readonly until?: string
  }>
  readonly news?: ReadonlyArray<{ readonly name?: string; readonly text: string; readonly at: string }>
  readonly leaving?: { readonly erases_at: string }
}

export interface Entry {
  readonly at: string
  readonly kind: string
  readonly points: number
  readonly unit: string
  readonly location?: string
  readonly reward?: string
  readonly promotions?: ReadonlyArray<string>
}

export interface History {
  readonly entries: ReadonlyArray<Entry>
  readonly next_cursor?: string
  /** The last page: older entries are kept elsewhere. */
  readonly archived?: boolean
}

export interface Device {
  readonly session_id: string
  readonly device: string
  readonly began_at: string
  readonly seen_at: string
  readonly current: boolean
}

interface Earned {
  readonly points: number
  readonly unit: string
}

/** Points of an order on the first account, and `more` on others. */
export interface Claimed extends Earned {
  /** The guest has had them already. */
  readonly again?: true
  readonly more?: ReadonlyArray<Earned>
}

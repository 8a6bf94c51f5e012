/** People who have accepted an invitation, in browsers of their own with devices that keep passkeys. */
import { Effect } from "effect"
import type { Page } from "playwright-core"
import type { OpenOptions } from "./Console.ts"
import { Console } from "./Console.ts"

export const staff = "/admin/api/v1/staff"

export interface Invited {
  readonly user: { readonly user_id: string }
  readonly invitation_url: string
}

/** Headings of first pages. */
const beginsAt: Readonly<Record<string, string>> = { developer: "Developers", marketer: "Audience", support: "Counter" }

export const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole("heading", { name, level: 1, exact: true }).waitFor()

/** Invites somebody as the admin key does. Returns the page that the invitation leads to, after the console's address. */
export const invite = Effect.fnUntraced(function* (name: string, role: string) {
  const { ask } = yield* Console
  const email = `${name.toLowerCase().replace(" ", ".")}@example.com`
  const { invitation_url, user } = (yield* ask("POST", staff, { email, name, role })) as Invited
  return { at: invitation_url.slice(invitation_url.indexOf("/invitation")), userId: user.user_id }
})

/** Somebody who has just accepted an invitation. */
export const join = Effect.fnUntraced(function* (name: string, role: string, options: OpenOptions = {}) {
  const { at, userId } = yield* invite(name, role)
  const opened = yield* (yield* Console).open(at, { key: null, keepsPasskeys: true, ...options })
  yield* Effect.promise(async () => {
    await opened.page.getByRole("button", { name: "Create a passkey" }).click()
    await heading(opened.page, beginsAt[role] ?? "Today")
  })
  return { ...opened, userId }
})

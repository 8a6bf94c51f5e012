/** People at the console, in a real browser with devices that keep passkeys. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  barriers,
  Console,
  layer as consoleLayer,
  fits,
  keepRouting,
  narrow,
  overflow,
  rootKey,
  typeKey
} from "../Console.ts"
import { heading, type Invited, invite, join, staff } from "../Joined.ts"

layer(consoleLayer, { excludeTestServices: true })("people at the console", (it) => {
  it.effect("begin with an owner, who invites somebody who gives points, until the owner disables that person", () =>
    Effect.gen(function* () {
      const { open, url } = yield* Console
      const owner = yield* open("/", { key: null, keepsPasskeys: true })
      const address = yield* Effect.promise(async () => {
        const { page } = owner
        await typeKey(page, rootKey)
        await page.keyboard.press("Enter")
        const setUp = page.getByRole("region", { name: "Set up your account" })
        await setUp.getByLabel("Name").fill("Olga Owner")
        await setUp.getByLabel("E-mail").fill("olga@example.com")
        await setUp.getByRole("button", { name: "Continue to the passkey" }).click()
        await page.getByText("olga@example.com").waitFor()
        // Left halfway: the first page tells it, and goes on with it.
        await page.goBack()
        await setUp.getByText("The account of Olga Owner is not finished").waitFor()
        assert.strictEqual(await setUp.getByLabel("E-mail").inputValue(), "olga@example.com")
        await setUp.getByRole("button", { name: "Continue to the passkey" }).click()
        await page.getByText("olga@example.com").waitFor()
        assert.strictEqual(await page.getByLabel("A name for this passkey").inputValue(), "Chrome on Linux")
        await page.getByRole("button", { name: "Create a passkey" }).click()
        await page.getByRole("link", { name: "Olga Owner" }).waitFor()
        await heading(page, "Today")
        assert.strictEqual(await setUp.count(), 0)
        await page.getByRole("link", { name: "People" }).click()
        await page.getByRole("button", { name: "Invite somebody" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("E-mail").fill("sam@example.com")
        await dialog.getByLabel("Name").fill("Sam Support")
        // The figures, which everybody sees, and the role's limits.
        await dialog.getByText(/^Helps guests.* figures such as revenue\. May give at most [\d,]+ points/).waitFor()
        await dialog.getByRole("radio", { name: "Support" }).check()
        await dialog.getByRole("button", { name: "Invite", exact: true }).click()
        await page.getByText("Hello Sam Support,").waitFor()
        const shown = await page.getByText(/^http\S+$/).innerText()
        await page.keyboard.press("Escape")
        await page.getByRole("row", { name: /Sam Support .* Invited .*Invitation until/ }).waitFor()
        await page
          .getByRole("region", { name: "What roles may do" })
          .getByText(/^Helps guests.* May give at most/)
          .waitFor()
        return shown
      })
      assert.deepStrictEqual(yield* barriers(owner.page), [])
      const sam = yield* open(address.slice(address.indexOf("/invitation")), { key: null, keepsPasskeys: true })
      yield* Effect.promise(async () => {
        const { page } = sam
        await page.getByText("sam@example.com").waitFor()
        // A person who looks at the screen or the history does not see the secret.
        assert.strictEqual(page.url(), `${url}/console/invitation`)
      })
      assert.deepStrictEqual(yield* barriers(sam.page), [])
      yield* Effect.promise(async () => {
        const { page } = sam
        await page.getByLabel("A name for this passkey").fill("Till at West")
        await page.getByRole("button", { name: "Create a passkey" }).click()
        await heading(page, "Counter")
        assert.deepStrictEqual(await page.getByRole("navigation").getByRole("link").allInnerTexts(), [
          "Today",
          "Counter",
          "Members",
          "Audience",
          "Programme",
          "Audit",
          "Documentation"
        ])
        await page.goto(`${url}/console/developers`)
        await page.getByText("This page is not for your role").waitFor()
        await page.goto(`${url}/console/members/demo-foodservice/member-004`)
        await page.getByRole("button", { name: "Adjust points" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Amount").fill("50")
        await dialog.getByLabel("Reason").fill("Waited too long")
        await dialog.getByRole("button", { name: "Adjust points" }).click()
        await dialog.waitFor({ state: "hidden" })
        await page.getByText("Points adjusted – Sam Support").waitFor()
        await page.goto(`${url}/console/audit`)
        await page.getByText("What you did, newest first.").waitFor()
        await page.getByRole("cell", { name: "Waited too long" }).waitFor()
        await page.goto(`${url}/console/today`)
        await page.getByText("Today so far").waitFor()
      })
      yield* Effect.promise(async () => {
        const { page } = owner
        await page.reload()
        await page.getByRole("row", { name: /Sam Support .* Active/ }).waitFor()
        await page.getByRole("button", { name: "Disable: Sam Support" }).click()
        await page.getByText("cannot sign in any more").waitFor()
        await page.getByLabel("Reason").fill("Left the company")
        await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click()
        await page.getByRole("row", { name: /Sam Support .* Disabled/ }).waitFor()
        await page.getByText("The only active owner stays an owner.").waitFor()
        const ended = sam.page.getByRole("dialog", { name: "Sign in to Lotbook" })
        await ended.getByText("Your session has ended").waitFor()
        await ended.getByRole("button", { name: "Sign in with a passkey" }).click()
        await ended.getByText("This user is disabled. Ask an owner.").waitFor()
      })
      const root = yield* open("/")
      yield* Effect.promise(() => root.page.getByText("the admin key, which is for emergencies").waitFor())
      assert.deepStrictEqual([...owner.faults, ...sam.faults, ...root.faults], [])
    })
  )

  it.effect("sign in with a passkey, and see their own account with its passkeys and sessions", () =>
    Effect.gen(function* () {
      const { page, faults } = yield* join("Ann Analyst", "analyst", { viewport: narrow, colorScheme: "dark" })
      yield* Effect.promise(async () => {
        await page.getByText("Today so far").waitFor()
        assert.isAtMost(await overflow(page), 0)
        await page.getByRole("button", { name: "Sign out" }).click()
        await page.getByRole("button", { name: "Sign in with a passkey" }).click()
        await heading(page, "Today")
        await page.getByRole("button", { name: "Menu" }).click()
        await page.getByRole("link", { name: "My account" }).click()
        await heading(page, "My account")
        await page.getByText(/^Sees campaigns, the programme, and figures such as revenue/).waitFor()
        await page.getByText("Your last one stays.").waitFor()
        await page.getByText("this one").waitFor()
        await page.getByRole("button", { name: "Add a passkey" }).click()
        const dialog = page.getByRole("dialog")
        await dialog.getByRole("button", { name: "Add a passkey" }).click()
        await dialog.getByText("This device has a passkey of yours already.").waitFor()
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("have several passkeys and sessions, and end all but the one in use", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const first = yield* join("Dan Developer", "developer")
      const again = (yield* ask("POST", `${staff}/${first.userId}/invite`)) as unknown as Invited
      const at = again.invitation_url.slice(again.invitation_url.indexOf("/invitation"))
      const second = yield* open(at, { key: null, keepsPasskeys: true })
      yield* Effect.promise(async () => {
        const { page } = second
        await page.getByLabel("A name for this passkey").fill("Phone")
        await page.getByRole("button", { name: "Create a passkey" }).click()
        await page.getByRole("link", { name: "Dan Developer" }).click()
        const sessions = page.getByRole("table", { name: "Where you are signed in" })
        await sessions.getByRole("row").nth(2).waitFor()
        await page.getByRole("button", { name: "Sign out everywhere else" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Sign out everywhere else" }).click()
        await first.page.getByText("Your session has ended").waitFor()
        await sessions.getByRole("row").nth(2).waitFor({ state: "hidden" })
        await page.getByRole("button", { name: "Rename: Phone" }).click()
        await page.getByRole("dialog").getByLabel("A name for this passkey").fill("My phone")
        await page.getByRole("dialog").getByRole("button", { name: "Rename" }).click()
        await page.getByRole("button", { name: "Remove: My phone" }).waitFor()
        await page.getByRole("button", { name: "Remove: Chrome on Linux" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
        await page.getByText("Your last one stays.").waitFor()
        const ended = first.page.getByRole("dialog", { name: "Sign in to Lotbook" })
        await ended.getByRole("button", { name: "Sign in with a passkey" }).click()
        await ended.getByText("does not know the passkey any more").waitFor()
      })
      assert.deepStrictEqual([...first.faults, ...second.faults], [])
    })
  )

  it.effect("lose the buttons of what they may do no more, once it is refused, and are told so", () =>
    Effect.gen(function* () {
      const { url } = yield* Console
      const { page } = yield* join("Moritz Manager", "manager")
      const adjust = page.getByRole("button", { name: "Adjust points" })
      yield* Effect.promise(async () => {
        await page.goto(`${url}/console/members/demo-foodservice/member-005`)
        await adjust.click()
        const dialog = page.getByRole("dialog")
        await dialog.getByLabel("Amount").fill("50")
        await dialog.getByLabel("Reason").fill("Waited too long")
        await dialog.getByText("The balance goes from").waitFor()
        // The session goes on, and may do less.
        await page.route("**/admin/api/v1/session", async (route) => {
          const answer = await route.fetch()
          const session = (await answer.json()) as { readonly scopes: ReadonlyArray<string> }
          const scopes = session.scopes.filter((scope) => scope !== "points:give")
          await route.fulfill({ response: answer, json: { ...session, scopes } })
        })
        const problem = {
          type: "/problems/forbidden",
          title: "Forbidden",
          status: 403,
          detail: "No.",
          code: "forbidden"
        }
        await page.route("**/adjustments", (route) =>
          route.fulfill({ status: 403, contentType: "application/problem+json", json: { ...problem, instance: "/" } })
        )
        await dialog.getByRole("button", { name: "Adjust points" }).click()
        await page.getByText("What you may do here has been changed.").waitFor()
        // Points that may not be given may be asked for, but a merge may not.
        await page.getByRole("button", { name: /^Merge/ }).waitFor({ state: "detached" })
        await page.getByRole("heading", { level: 1 }).waitFor()
      })
    })
  )

  it.effect("learn what to do with an invitation or a device that does not work", () =>
    Effect.gen(function* () {
      const { open, url } = yield* Console
      const { faults, page } = yield* open("/", { key: null, keepsPasskeys: true, viewport: narrow })
      const { at } = yield* invite("Mia Manager", "manager")
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Sign in with a passkey" }).click()
        await page.getByText("this device has none for this service").waitFor()
        await page.goto(`${url}/console/invitation`)
        await page.getByText("This address is not complete").waitFor()
        // The same tab: only what follows the # is new.
        await page.goto(`${url}/console/invitation#wrong`)
        await page.getByText("This invitation does not work any more").waitFor()
        await fits(page)
        // Somebody disabled the person a moment ago: told in the console's words, not in the service's.
        const invitation = "**/admin/api/v1/staff/invitation"
        const refused = { type: "about:blank", title: "Conflict", status: 409, detail: "No.", code: "invalid_state" }
        await keepRouting(page)
        await page.route(invitation, (route) => route.fulfill({ status: 409, json: { ...refused, instance: staff } }))
        await page.goto(`${url}/console/invitation#refused`)
        await page.getByText("Ask an owner to enable it and to invite you again.").waitFor()
        assert.strictEqual(await page.getByText("No.", { exact: true }).count(), 0)
        await page.unroute(invitation)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.goto(`${url}/console${at}`)
        await page.getByRole("button", { name: "Create a passkey" }).click()
        await heading(page, "Today")
        await page.goto(`${url}/console${at}`)
        await page.getByText("This invitation does not work any more").waitFor()
        await page.getByRole("link", { name: "Sign in" }).click()
        await heading(page, "Today")
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("read an invitation in the language of their browser or in the one they choose, and stay in it", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const invited = (name: string) =>
        ask("POST", staff, {
          email: `${name}@example.com`,
          name,
          role: "analyst",
          language: "de"
        }) as Effect.Effect<Invited>
      const at = ({ invitation_url: url }: Invited) => url.slice(url.indexOf("/invitation"))
      const eva = yield* open(at(yield* invited("Eva")), { key: null, keepsPasskeys: true })
      const uwe = yield* open(at(yield* invited("Uwe")), { key: null, keepsPasskeys: true })
      yield* Effect.promise(async () => {
        await eva.page.getByRole("button", { name: "Create a passkey" }).click()
        await heading(eva.page, "Today")
        await eva.page.reload()
        await heading(eva.page, "Today")
        await uwe.page.getByLabel("Language").selectOption("de")
        await uwe.page.getByText("Uwe@example.com").waitFor()
        await uwe.page.getByRole("button", { name: "Passkey erstellen" }).click()
        await heading(uwe.page, "Heute")
      })
      assert.deepStrictEqual([...eva.faults, ...uwe.faults], [])
    })
  )

  it.effect("are changed by those who may: another role ends the sessions, and a reader sees no changes", () =>
    Effect.gen(function* () {
      const { open } = yield* Console
      const { at, userId } = yield* invite("Lea Later", "marketer")
      const manager = yield* join("Max Manager", "manager")
      const root = yield* open("/people", { viewport: narrow })
      yield* Effect.promise(async () => {
        const { page } = root
        await page.getByRole("button", { name: "Change role: Lea Later" }).click()
        const dialog = page.getByRole("dialog")
        assert.isTrue(await dialog.getByRole("radio", { name: "Marketer" }).isChecked())
        await dialog.getByLabel("Reason").fill("Serves guests now")
        assert.isTrue(await dialog.getByRole("button", { name: "Change role" }).isDisabled())
        await dialog.getByRole("radio", { name: "Support" }).check()
        assert.isAtMost(await overflow(page), 0)
        const locations = dialog.getByRole("combobox", { name: "Restaurants" })
        await locations.fill("harbour")
        await locations.press("Enter")
        await dialog.getByRole("button", { name: "Change role" }).click()
        await page.getByRole("row", { name: /Lea Later .* Support.* only harbour/ }).waitFor()
        // A limit that is cleared is gone, and does not stay because nobody named it.
        await page.getByRole("button", { name: "Change role: Lea Later" }).click()
        await dialog.getByLabel("Reason").fill("Serves all guests now")
        await locations.press("Backspace")
        await dialog.getByRole("button", { name: "Change role" }).click()
        await dialog.waitFor({ state: "hidden" })
        await page.getByRole("row", { name: /Lea Later .* only harbour/ }).waitFor({ state: "hidden" })
        await page.getByRole("button", { name: "Invite again: Lea Later" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Invite again" }).click()
        await page.getByText("Hello Lea Later,").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(root.page), [])
      const lea = yield* open(at, { key: null, keepsPasskeys: true })
      yield* Effect.promise(async () => {
        await lea.page.getByText("a newer one replaced it").waitFor()
        const { page } = root
        await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click()
        await page.getByRole("button", { name: "End sessions: Max Manager" }).click()
        await page.getByLabel("Reason").fill("A tablet was lost")
        await page.getByRole("dialog").getByRole("button", { name: "End sessions" }).click()
        await page.getByText("Max Manager was signed out: 1 session.").waitFor()
        const ended = manager.page.getByRole("dialog", { name: "Sign in to Lotbook" })
        await ended.getByRole("button", { name: "Sign in with a passkey" }).click()
        await ended.waitFor({ state: "hidden" })
        await manager.page.getByRole("link", { name: "People" }).click()
        await manager.page.getByRole("row", { name: /Lea Later/ }).waitFor()
        assert.strictEqual(await manager.page.getByRole("button", { name: /Lea Later|Invite/ }).count(), 0)
      })
      assert.isTrue(userId.startsWith("usr_"))
      assert.deepStrictEqual([...root.faults, ...manager.faults, ...lea.faults], [])
    })
  )

  it.effect("have limits of what they give, which owners change, and learn who may give more", () =>
    Effect.gen(function* () {
      const { ask, open, url } = yield* Console
      const supporter = yield* join("Sue Support", "support", { viewport: narrow })
      const manager = yield* join("Mo Manager", "manager")
      const root = yield* open("/people", { viewport: narrow, colorScheme: "dark" })
      yield* Effect.promise(async () => {
        const { page } = root
        const limits = page.getByRole("table", { name: "Limits" })
        await limits.getByRole("row", { name: /^Owner no limit no limit no limit/ }).waitFor()
        await page.getByRole("button", { name: "Change limits: Support" }).click()
        const dialog = page.getByRole("dialog")
        assert.strictEqual(await dialog.getByLabel("Points at once").inputValue(), "1,000")
        await dialog.getByLabel("Points at once").fill("40")
        await dialog.getByLabel("Rewards a day").fill("")
        await dialog.getByLabel("Reason").fill("Fewer big gifts")
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(root.page), [])
      yield* Effect.promise(async () => {
        const { page } = root
        await page.getByRole("dialog").getByRole("button", { name: "Change limits" }).click()
        await page.getByRole("row", { name: /^Support 40 5,000 no limit/ }).waitFor()
        assert.isAtMost(await overflow(page), 0)
        await supporter.page.goto(`${url}/console/account`)
        await supporter.page.getByText("40 points at once, 5,000 points a day").waitFor()
        await supporter.page.goto(`${url}/console/members/demo-foodservice/member-004`)
        await supporter.page.getByRole("button", { name: "Adjust points" }).click()
        const gift = supporter.page.getByRole("dialog")
        await gift.getByLabel("Amount").fill("50")
        await gift.getByText("you may give or take at most 40 points at once").first().waitFor()
        await gift.getByText("More may be given by: Owner, Manager.").first().waitFor()
        await gift.getByLabel("Amount").fill("30")
        await gift.getByText(/The balance goes from/).waitFor()
        await gift.getByLabel("Reason").fill("Cold soup")
        await gift.getByRole("button", { name: "Adjust points" }).click()
        await gift.waitFor({ state: "hidden" })
        await manager.page.goto(`${url}/console/people`)
        await manager.page.getByRole("row", { name: /^Support 40 5,000/ }).waitFor()
        assert.strictEqual(await manager.page.getByRole("button", { name: /^Change/ }).count(), 0)
      })
      yield* ask("POST", `${staff}/limits`, {
        role: "support",
        points_per_action: 1_000,
        points_per_day: 5_000,
        rewards_per_day: 10,
        reason: "As before"
      })
      assert.deepStrictEqual([...supporter.faults, ...manager.faults, ...root.faults], [])
    })
  )
})

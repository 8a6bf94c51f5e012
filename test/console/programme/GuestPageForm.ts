/** The guests' page of a programme: its dialog with a picture, its logo, cards for tables, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { ProgramFile } from "../../../src/contract/ProgramFile.ts"
import type { It } from "../Console.ts"
import { barriers, Console, fits, narrow, programKept } from "../Console.ts"
import { publish, save } from "./Promotions.ts"

const address = "/admin/api/v1/programs/demo-foodservice"

/** One pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64"
)

/** Pages of a PDF that Chromium makes. */
const pagesOf = (pdf: Buffer): number => pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0

export const guestPageForm = (it: It): void => {
  it.effect("changes the guests' page beside a picture of it, its logo at once, and draws cards for tables", () =>
    Effect.gen(function* () {
      const { ask, open, url } = yield* Console
      const { version } = (yield* programKept) as { readonly version: number }
      const { faults, page } = yield* open("/programme?section=guestPage", { viewport: narrow, colorScheme: "dark" })
      const dialog = page.getByRole("dialog")
      yield* Effect.promise(async () => {
        await page.getByText(`Guests find it at ${url}/my/demo-foodservice`).waitFor()
        await page.getByRole("button", { name: "Change the guests' page" }).click()
        await dialog.getByLabel("Name above the page").fill("")
        await dialog.getByText("Write 1 to 60 characters.").waitFor()
        await dialog.getByLabel("Name above the page").fill("Bowl Friends")
        await dialog.getByRole("figure", { name: "The page, light" }).getByText("Bowl Friends").waitFor()
        await dialog.getByLabel("Colour, such as #1a7f5a").fill("yellow")
        await dialog.getByText("Write # and six digits or letters").waitFor()
        assert.isTrue(await dialog.getByRole("button", { name: "Put it into the draft" }).isDisabled())
        await dialog.getByLabel("Colour, such as #1a7f5a").fill("#ffcc00")
        await dialog.getByLabel("Languages").selectOption("de,en")
        await dialog.getByRole("button", { name: "Add a link" }).click()
        await dialog.getByLabel("Words of link 2").fill("Imprint")
        await dialog.getByLabel("Address of link 2").fill("http://example.com/imprint")
        await dialog.getByText("Each link needs words").waitFor()
        await dialog.getByLabel("Address of link 2").fill("https://example.com/imprint")
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await save(page)
        await page.getByText("It speaks German, English").waitFor()
        await page.getByText("It leads to Corner Bowl, Imprint").waitFor()
        await publish(page, version + 1)
      })
      const { program } = (yield* ask("GET", address)) as { readonly program: ProgramFile }
      assert.deepStrictEqual(program.guest_page, {
        name: "Bowl Friends",
        colour: "#ffcc00",
        languages: ["de", "en"],
        links: [
          { label: "Corner Bowl", url: "https://www.corner-bowl.example/" },
          { label: "Imprint", url: "https://example.com/imprint" }
        ]
      })
      yield* Effect.promise(async () => {
        const logo = page.getByRole("region", { name: "Logo" })
        await logo.getByText("There is no logo.").waitFor()
        const choosing = page.waitForEvent("filechooser")
        await logo.getByRole("button", { name: "Choose a picture" }).click()
        await (await choosing).setFiles({ name: "logo.jpg", mimeType: "image/jpeg", buffer: Buffer.alloc(100) })
        await logo.getByText("This is no PNG.").waitFor()
        const again = page.waitForEvent("filechooser")
        await logo.getByRole("button", { name: "Choose a picture" }).click()
        await (await again).setFiles({ name: "logo.png", mimeType: "image/png", buffer: pixel })
        await logo.getByText("1 × 1 pixels").waitFor()
        await logo.getByRole("button", { name: "Remove the logo" }).click()
        await dialog.getByRole("button", { name: "Remove the logo" }).click()
        await logo.getByText("There is no logo.").waitFor()
      })
      yield* ask("PUT", "/admin/api/v1/business/logo", { png: pixel.toString("base64") })
      yield* Effect.promise(async () => {
        await page.reload()
        const logo = page.getByRole("region", { name: "Logo" })
        await logo.getByText("The page has the one of your own look").waitFor()
        await page.getByRole("figure", { name: "The page, light" }).locator('img[src^="/console/logo.png"]').waitFor()
      })
      yield* ask("DELETE", "/admin/api/v1/business/logo")
      yield* Effect.promise(async () => {
        await page.reload()
        const table = page.getByRole("region", { name: "Cards for the tables" })
        await table.getByRole("img", { name: "A code that leads to joining" }).waitFor()
        await table.getByText(`${url}/join/demo-foodservice`).waitFor()
        await table.getByText("Punkte sammeln").waitFor()
        for (const format of ["Letter", "A4"])
          for (const margin of ["0", "12mm"])
            assert.strictEqual(
              pagesOf(await page.pdf({ format, margin: { top: margin, right: margin, bottom: margin, left: margin } })),
              1,
              format
            )
        const saving = page.waitForEvent("download")
        await table.getByRole("button", { name: "Save the code as SVG" }).click()
        assert.strictEqual((await saving).suggestedFilename(), "join-demo-foodservice.svg")
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )
}

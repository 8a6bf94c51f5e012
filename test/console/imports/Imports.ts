/** The console's page of imports, in a real browser. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Download, Page } from "playwright-core"
import { createHash } from "node:crypto"
import type { It } from "../Console.ts"
import { barriers, Console, fits, keepRouting, narrow, overflow } from "../Console.ts"

const script = "<script>document.title='taken'</script>"
const arabic = "سارة منصور"

const choose = (page: Page, name: string, content: string | Buffer): Promise<void> =>
  page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(content) })

/** Drops a file, as a reader does who drags it from a folder. */
const drop = async (page: Page, name: string, content: string): Promise<void> => {
  const file = `new File([${JSON.stringify(content)}], ${JSON.stringify(name)}, { type: "text/csv" })`
  const files = await page.evaluateHandle(
    `(() => { const files = new DataTransfer(); files.items.add(${file}); return files })()`
  )
  await page.getByRole("region", { name: "Choose a file" }).dispatchEvent("drop", { dataTransfer: files })
}

const textOf = async (saved: Download): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of await saved.createReadStream()) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const figure = (page: Page, name: string, value: string, region = "Result") =>
  page
    .getByRole("region", { name: region })
    .locator("div", { hasText: new RegExp(`^${name}${value}$`) })
    .first()

export const imports = (it: It): void => {
  it.effect("imports a file after a look at it, tells faults by row and column, and imports it once", () =>
    Effect.gen(function* () {
      const { open, url } = yield* Console
      const { faults, page } = yield* open("/audience/imports")
      const failed =
        "\uFEFFmember_id,display_name,email,opening_balance,import_error\r\n" +
        "imported-3,Three,no address,,5: “email” must be an e-mail address.\r\n"
      const file = [
        "member_id,display_name,email,opening_balance",
        `imported-1,"${script}",one@example.com,120`,
        `imported-2,${arabic},,`,
        ",,,",
        "imported-3,Three,no address,"
      ].join("\r\n")
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "Earlier imports" }).waitFor()
        await choose(page, "members.csv", file)
        await page.getByText("3 rows, 4 columns,").waitFor()
        await page.getByRole("cell", { name: script }).waitFor()
        await page.getByRole("cell", { name: arabic }).waitFor()
        assert.notStrictEqual(await page.title(), "taken")
        // Foreseen effects of the import, with the cells of faults.
        for (const [name, value] of [
          ["New members", "2"],
          ["Known members", "0"],
          ["Points to credit in total", "120"],
          ["Rows with errors", "1"]
        ] as const)
          await figure(page, name, value, "What this import will do").waitFor()
        await page.getByRole("row", { name: "“email” must be an e-mail address. 1 Row 5 no address" }).waitFor()
        await page.getByText("Of 3 rows, 2 have no error; 1 is left out. Nothing is imported yet.").waitFor()
        const [ahead] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Download the failed rows" }).click()
        ])
        assert.strictEqual(await textOf(ahead), failed)
        await page.getByRole("button", { name: "Import 2 rows" }).waitFor()
      })
      // Nothing is imported before the reader says so.
      const member = `${url}/platform/v1/members?program_id=demo-foodservice&member_id=imported-1`
      assert.strictEqual((yield* Effect.promise(() => page.request.get(member))).status(), 404)
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        // The answer is lost: the file is imported, and the reader cannot know.
        await keepRouting(page)
        await page.route(
          "**/platform/v1/imports/members*",
          async (route) => {
            await route.fetch()
            await route.abort()
          },
          { times: 1 }
        )
        await page.getByRole("button", { name: "Import 2 rows" }).click()
        await page.getByText("it continues where it stopped and imports no row twice").waitFor()
        await page.getByRole("button", { name: "Import 2 rows" }).click()
        await page.getByText("This file was imported before").waitFor()
        await page.getByRole("heading", { name: /^Import of / }).waitFor()
        await page.getByText("Some rows failed").waitFor()
        for (const [name, value] of [
          ["Rows", "3"],
          ["New members", "2"],
          ["Known members", "0"],
          ["Failed", "1"]
        ] as const)
          await figure(page, name, value).waitFor()
        await page.getByRole("row", { name: /5 email “email” must be an e-mail address\./ }).waitFor()
        const [mend] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Download the failed rows" }).click()
        ])
        assert.strictEqual(mend.suggestedFilename(), "failed-members.csv")
        assert.strictEqual(await textOf(mend), failed)
        // The address can be shared and reloaded.
        await page.reload()
        await page.getByRole("row", { name: /5 email/ }).waitFor()
        const [saved] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Download as CSV" }).click()
        ])
        assert.strictEqual(await page.getByRole("button", { name: "Download the failed rows" }).count(), 0)
        assert.include(await textOf(saved), "5,/email,validation_failed,must be an e-mail address")
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "All imports" }).click()
        await page.getByRole("row", { name: /members\.csv .*Some rows failed 3 2 0 1/ }).waitFor()
        assert.strictEqual(await page.getByRole("row", { name: /Some rows failed 3 2 0 1/ }).count(), 1)
        await page.goto(`${new URL(page.url()).origin}/console/members/demo-foodservice/imported-1`)
        await page.getByText("120 points").first().waitFor()
        await page.getByText(script).first().waitFor()
        assert.notStrictEqual(await page.title(), "taken")
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("reads the files of a spreadsheet in any language: semicolons, tabs, Windows-1252 and UTF-16", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/audience/imports")
      const utf16 = Buffer.from(`\uFEFFmember_id\tdisplay_name\r\nsheet-2\t"${arabic}, ""Z"""\r\n`, "utf16le")
      yield* Effect.promise(async () => {
        await choose(page, "blatt.csv", utf16)
        await page.getByText("Read as UTF-16, separated by tabs.").waitFor()
        await page.getByRole("cell", { name: `${arabic}, "Z"` }).waitFor()
        await choose(page, "blatt.csv", Buffer.from('member_id,display_name\n"a;b;c;d;e",Zoë', "utf8"))
        await page.getByText("Read as UTF-8, separated by commas.").waitFor()
        const sheet = 'member_id;display_name;email\r\n\r\nsheet-1;"Jürgen; ""J"", Groß";\r\nsheet-3;Zoë;none\r\n'
        await choose(page, "blatt.csv", Buffer.from(sheet, "latin1"))
        await page.getByText("Read as Windows-1252 (Western European), separated by semicolons.").waitFor()
        await page.getByRole("cell", { name: 'Jürgen; "J", Groß' }).waitFor()
        await page.getByRole("button", { name: "Import 1 row" }).click()
        await page.getByRole("row", { name: /4 email “email” must be an e-mail address\./ }).waitFor()
        await page.goto(`${new URL(page.url()).origin}/console/members/demo-foodservice/sheet-1`)
        await page.getByText('Jürgen; "J", Groß').first().waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("maps columns of a file to those of the template, and converts dates, telephones, names and consent", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/audience/imports", { viewport: narrow })
      const file = [
        "Kundennr;Vorname;Nachname;Geburtsdatum;Handy;Newsletter;Notiz;Karte;Karte",
        "map-1;Zoë;Groß;3/4/1990;0170 1234567;Ja;Stammgast;map-card-1;",
        ";;;;;;;;",
        "map-2;Ada;Martin;3/5/1990;;vielleicht;;;"
      ].join("\r\n")
      const columns = page.getByRole("region", { name: "Your columns" })
      const check = columns.getByRole("button", { name: "Check" })
      const field = (column: string) => page.getByLabel(`“${column}” is imported as`, { exact: true })
      const sent = page.getByRole("group", { name: "First rows" })
      yield* Effect.promise(async () => {
        await choose(page, "gäste.csv", file)
        await page.getByText("2 rows, 9 columns,").waitFor()
        await columns.getByRole("row", { name: /^Nachname Groß Martin/ }).waitFor()
        for (const [column, guessed] of [
          ["Kundennr", "external_id"],
          ["Vorname", "first_name"],
          ["Geburtsdatum", "birth_date"],
          ["Notiz", ""]
        ] as const)
          assert.strictEqual(await field(column).inputValue(), guessed)
        // Formats are asked for where the cells need them, and nothing is sent before the reader says so.
        await columns.getByText("The dates in the file do not tell their order.").waitFor()
        await columns.getByText("In neither list, so that their rows have errors: “vielleicht”.").waitFor()
        assert.strictEqual(await page.getByRole("region", { name: "What this import will do" }).count(), 0)
        // Rows that cannot be imported are told before the service is asked.
        await field("Kundennr").selectOption("")
        await field("Karte").first().selectOption("")
        await columns.getByText("it tells the members apart").waitFor()
        assert.isTrue(await check.isDisabled())
        await field("Kundennr").selectOption("member_id")
        await field("Karte").first().selectOption("identity_value")
        await columns.getByLabel("Type of the card numbers").waitFor()
        await columns.getByLabel("Country code of telephone numbers without one").fill("+49")
        await columns.getByLabel("Order of dates").selectOption("MDY")
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await check.press("Enter")
        await page.getByRole("cell", { name: "Zoë Groß", exact: true }).waitFor()
        await page.getByRole("cell", { name: "1990-03-04", exact: true }).waitFor()
        await page.getByRole("cell", { name: "+491701234567", exact: true }).waitFor()
        await page.getByRole("row", { name: /“Newsletter” is neither .* 1 Row 4 vielleicht/ }).waitFor()
        await figure(page, "New members", "1", "What this import will do").waitFor()
        const [failed] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Download the failed rows" }).click()
        ])
        const saved = await textOf(failed)
        assert.include(
          saved,
          "\uFEFFKundennr;Vorname;Nachname;Geburtsdatum;Handy;Newsletter;Notiz;Karte;Karte;import_error"
        )
        assert.match(saved, /map-2;Ada;Martin;3\/5\/1990;;vielleicht;;;;4: “Newsletter” is neither/)
        // A changed choice makes the check out of date.
        await columns.getByLabel("Order of dates").selectOption("DMY")
        await page.getByRole("region", { name: "What this import will do" }).waitFor({ state: "detached" })
        assert.strictEqual(await sent.count(), 0)
        assert.strictEqual(await page.getByRole("button", { name: /^Import/ }).count(), 0)
        await check.click()
        await page.getByRole("cell", { name: "1990-04-03", exact: true }).waitFor()
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        // The correction of a file has its choices.
        await choose(page, "gäste.csv", file.replace("vielleicht", "nein"))
        await page.getByText("In neither list").waitFor({ state: "detached" })
        assert.strictEqual(await field("Kundennr").inputValue(), "member_id")
        await check.click()
        const [sending] = await Promise.all([
          page.waitForRequest((request) => request.method() === "POST" && !request.url().includes("dry_run")),
          page.getByRole("button", { name: "Import 2 rows" }).click()
        ])
        const converted = [
          "member_id,display_name,birth_date,phone,marketing_consent,identity_value,identity_type",
          "map-1,Zoë Groß,1990-04-03,+491701234567,true,map-card-1,loyalty_id",
          "",
          "map-2,Ada Martin,1990-05-03,,false,,"
        ]
        const body = converted.map((line) => `${line}\r\n`).join("")
        assert.strictEqual(sending.postData(), body)
        const hash = createHash("sha256").update(body).digest("hex")
        assert.include((await sending.allHeaders())["idempotency-key"], hash)
        await page.getByRole("heading", { name: /^Import of / }).waitFor()
        await page.getByText("All rows imported").waitFor()
        await page.goto(`${new URL(page.url()).origin}/console/members/demo-foodservice/map-1`)
        await page.getByText("Zoë Groß").first().waitFor()
      })
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("names the rows of one member, and asks how points are written", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/audience/imports", { viewport: narrow })
      const columns = page.getByRole("region", { name: "Your columns" })
      const check = columns.getByRole("button", { name: "Check" })
      const file = ["Kundennr;Punkte", "twice-1;1.000", "twice-2;2.500", "", "twice-1;1.000", ";5"].join("\r\n")
      yield* Effect.promise(async () => {
        await choose(page, "punkte.csv", file)
        await columns.getByText("1.000 is a thousand to some and one to others").waitFor()
        assert.isTrue(await check.isDisabled())
        await columns.getByLabel("How points are written").selectOption(".")
        await check.click()
        await figure(page, "Points to credit in total", "3,500", "What this import will do").waitFor()
        await page.getByRole("row", { name: "“Kundennr” 2 Row 2 twice-1 Row 5 twice-1" }).waitFor()
        await page.getByRole("row", { name: "An opening balance for one member 2 Row 2 1000 Row 5 1000" }).waitFor()
        await page
          .getByRole("row", { name: /The row has nothing in “Kundennr”, so that it is nobody's\. 1 Row 6/ })
          .waitFor()
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Import 3 rows", exact: true }).click()
        await page.waitForURL(/\/audience\/imports\/imp_\w+/)
        await page.getByRole("region", { name: "Rows of the same member" }).waitFor()
        await page.getByRole("row", { name: "“Kundennr” 2 Row 2 twice-1 Row 5 twice-1" }).waitFor()
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("imports a sheet without a header, with e-mail addresses for numbers and attributes of its own", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/audience/imports", { viewport: narrow })
      const columns = page.getByRole("region", { name: "Your columns" })
      const check = columns.getByRole("button", { name: "Check" })
      const field = (column: string) => page.getByLabel(`“${column}” is imported as`, { exact: true })
      const file = ["Sheet-Ada@Example.com;Ada;Espresso;3", ";;;", "sheet-zoe@example.com;Zoë;;4", "nobody;Bert;Tea;5"]
      const foreseen = page.getByRole("region", { name: "What this import will do" })
      yield* Effect.promise(async () => {
        await choose(page, "adressen.csv", file.join("\r\n"))
        const header = columns.getByLabel("The first row has the names of the columns")
        assert.isFalse(await header.isChecked())
        await columns
          .getByRole("row", { name: /^Column A Sheet-Ada@Example\.com sheet-zoe@example\.com nobody/ })
          .waitFor()
        assert.strictEqual(await field("Column A").inputValue(), "email")
        await columns.getByText("A file with e-mail addresses alone").waitFor()
        assert.isTrue(await check.isDisabled())
        await columns.getByLabel("Use the e-mail address as the customer number").check()
        await field("Column B").selectOption("display_name")
        await field("Column C").selectOption("attribute")
        await field("Column D").selectOption("attribute")
        await columns.getByLabel("Name of the attribute for “Column C”").fill("drink")
        await columns.getByLabel("Name of the attribute for “Column D”").fill("drink")
        await columns.getByText("Two attributes have the same name").waitFor()
        await columns.getByLabel("Name of the attribute for “Column D”").fill("visits")
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await check.click()
        await page.getByText("3 rows, 4 columns,").waitFor()
        await foreseen.getByRole("row", { name: "“Column A” must be an e-mail address. 1 Row 4 nobody" }).waitFor()
        const [sending] = await Promise.all([
          page.waitForRequest((request) => request.method() === "POST" && !request.url().includes("dry_run")),
          page.getByRole("button", { name: "Import 2 rows" }).click()
        ])
        assert.deepStrictEqual(sending.postData()?.split("\r\n").slice(0, 4), [
          "email,display_name,attributes_json,external_id",
          'Sheet-Ada@Example.com,Ada,"{""drink"":""Espresso"",""visits"":3}",sheet-ada@example.com',
          "",
          'sheet-zoe@example.com,Zoë,"{""visits"":4}",sheet-zoe@example.com'
        ])
        await page.getByRole("row", { name: /^4 Column A “Column A” must be an e-mail address/ }).waitFor()
        const [failed] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Download the failed rows" }).click()
        ])
        assert.strictEqual(
          await textOf(failed),
          "\uFEFFColumn A;Column B;Column C;Column D;import_error\r\n" +
            "nobody;Bert;Tea;5;4: “Column A” must be an e-mail address.\r\n"
        )
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("imports a large file in parts, stops on a fault, goes on from there, and tells one result", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/audience/imports", { viewport: narrow })
      const rows = Array.from({ length: 1_100 }, (_, n) => `many-${n};${n === 1_050 ? "none" : ""};${n % 2}`)
      rows[1_090] = "many-3;;1"
      const file = ["external_id;email;opening_balance", ...rows].join("\r\n")
      yield* Effect.promise(async () => {
        await choose(page, "gäste.csv", file)
        await page.getByText("1,100 rows, 3 columns,").waitFor()
        await page.getByText("Of 1,100 rows, 1,099 have no error; 1 is left out.").waitFor()
        await figure(page, "Points to credit in total", "550", "What this import will do").waitFor()
        await page.getByRole("row", { name: "“external_id” 2 Row 5 many-3 Row 1,092 many-3" }).waitFor()
        await page.getByRole("row", { name: "“email” must be an e-mail address. 1 Row 1,052 none" }).waitFor()
        await keepRouting(page)
        // The second part does not arrive.
        await page.route("**/platform/v1/imports/members*part*2*of*2*", (route) => route.abort(), { times: 1 })
        await page.getByRole("button", { name: "Import 1,099 rows" }).click()
        await page.getByText("1,000 of 1,100 rows are sent and done.").waitFor()
        assert.strictEqual(await page.getByText("Nothing is imported yet").count(), 0)
        await page.getByText("Rows already imported are kept.").waitFor()
        await fits(page)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        await page.getByRole("button", { name: "Continue" }).click()
        await page.getByText("All 1,100 rows of the file are sent.").waitFor()
        await figure(page, "New members", "1,098").waitFor()
        await figure(page, "Known members", "1").waitFor()
        await figure(page, "Failed", "1").waitFor()
        const [failed] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("button", { name: "Download the failed rows" }).click()
        ])
        assert.strictEqual(
          await textOf(failed),
          "\uFEFFexternal_id;email;opening_balance;import_error\r\nmany-1050;none;0;1052: “email” must be an e-mail address.\r\n"
        )
        await page.getByRole("row", { name: /gäste\.csv \(part 2 of 2\) .*Some rows failed 100 99 0 1/ }).waitFor()
        await fits(page)
        // The same file again imports nothing twice.
        await choose(page, "gäste.csv", file)
        await page.getByRole("button", { name: "Import 1,099 rows" }).click()
        await page.getByText("1,100 of these rows were imported before").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("says of a file that is refused what to do, and takes the mended one", () =>
    Effect.gen(function* () {
      const { faults, page } = yield* (yield* Console).open("/audience/imports", {
        viewport: narrow,
        colorScheme: "dark"
      })
      const refused = page.getByRole("alert")
      yield* Effect.promise(async () => {
        for (const [content, sentence] of [
          ["member_id,email\n,\n", "The file has no rows below the column names"],
          ['member_id,email\na,"b', "Line 2 has a quotation mark that is not closed"],
          [`member_id\n${"a\n".repeat(50_001)}`, "The file has 50,001 rows and 100 kB. At most 50,000 rows and 25 MB"],
          [Buffer.from([0x50, 0x4b, 3, 4, 0xff, 0xfe]), "save it as “CSV UTF-8 (comma separated)”"]
        ] as const) {
          await choose(page, "members.csv", content)
          await refused.getByText(sentence).waitFor()
          assert.strictEqual(await page.getByRole("button", { name: /^Import/ }).count(), 0)
        }
        // A file of failed rows can be chosen as it is.
        await choose(page, "failed.csv", "member_id,import_error\na,5: “email” must be an e-mail address.")
        await page.getByText("1 row, 1 column,").waitFor()
        // Faults that only the service knows.
        await drop(page, "members.csv", "email\none@example.com")
        await refused.getByText("The file must have one of the columns member_id, external_id").waitFor()
        assert.strictEqual(await page.getByRole("button", { name: /^Import/ }).count(), 0)
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      yield* Effect.promise(async () => {
        const [template] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("link", { name: "Download a template" }).click()
        ])
        const [chooser] = await Promise.all([
          page.waitForEvent("filechooser"),
          page.getByRole("button", { name: "Choose a file" }).press("Enter")
        ])
        await chooser.setFiles(await template.path())
        await page.getByText("1 row, 13 columns,").waitFor()
        await page.getByRole("button", { name: "Import 1 row" }).press("Enter")
        await page.getByRole("heading", { name: /^Import of / }).waitFor()
        await page.getByText("All rows imported").waitFor()
        assert.strictEqual(await page.getByText("This file was imported before").count(), 0)
        assert.isAtMost(await overflow(page), 0)
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("says how an import goes on that was cut off, and has no form for those who may only read", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const token = yield* ask("POST", "/admin/api/v1/tokens", {
        name: "Reader of imports",
        scopes: ["platform:read"]
      })
      const { faults, page } = yield* open("/audience/imports", {
        key: (token as { readonly secret: string }).secret,
        viewport: narrow
      })
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "Earlier imports" }).waitFor()
        await page
          .getByRole("row", { name: /Some rows failed/ })
          .first()
          .waitFor()
        assert.strictEqual(await page.getByRole("button", { name: "Choose a file" }).count(), 0)
        assert.isAtMost(await overflow(page), 0)
        // As the service answers while rows are left.
        await page.route("**/platform/v1/imports?import_id=*", async (route) => {
          const response = await route.fetch()
          const answer = (await response.json()) as { readonly import: Readonly<Record<string, unknown>> }
          const { completed_at: _, ...unfinished } = answer.import
          await route.fulfill({ response, json: { import: { ...unfinished, status: "partial" } } })
        })
        await page
          .getByRole("row", { name: /Some rows failed/ })
          .first()
          .getByRole("link")
          .click()
        await page.getByText("Not finished").waitFor()
        await page.getByText("import the same file again: it continues where it stopped").waitFor()
      })
      assert.deepStrictEqual(yield* barriers(page), [])
      assert.deepStrictEqual(faults, [])
    })
  )

  it.effect("shows runs of moves to owners, with what was made of guests, and faults by row with their remedies", () =>
    Effect.gen(function* () {
      const { ask, open } = yield* Console
      const run = (id: string, more: object) =>
        ask("PUT", `/admin/api/v1/programs/demo-foodservice/move-in/runs/${id}`, {
          files: [`${arabic}.csv`, "lots.csv"],
          rows: { guests: 1_200, lots: 2_500, rewards: 0, consents: 0 },
          ...{ guests: 1_200, outcomes: {}, lots: 0, fault_counts: [], faults: [] },
          ...more
        })
      yield* run("moved-now", { outcomes: { enrolled: 300 }, lots: 610 })
      const place = { file: `${arabic}.csv`, row: 17 }
      yield* run("moved-once", {
        ...{ outcomes: { enrolled: 1_190, refused: 9, erased: 1 }, lots: 2_480, ended: "moved" },
        fault_counts: [
          { name: "card_elsewhere", count: 1_009 },
          { name: "of_a_later_version", count: 1, waived: true }
        ],
        faults: [
          {
            ...place,
            name: "card_elsewhere",
            column: "Karte",
            detail: "Another member has the card.",
            remedy: "Merge."
          },
          { file: "lots.csv", name: "of_a_later_version", detail: script, remedy: "Read about it." }
        ]
      })
      for (const options of [{}, { viewport: { width: 320, height: 800 }, colorScheme: "dark" as const }]) {
        const { faults, page } = yield* open("/audience/imports", options)
        yield* Effect.promise(async () => {
          const moves = page.getByRole("region", { name: "Moves from another provider" })
          const row = moves.getByRole("row", { name: /Something is left/ })
          await row.waitFor()
          await moves.getByRole("row", { name: /Running/ }).waitFor()
          assert.match((await row.innerText()).replaceAll(/\s+/g, " "), /1,200.*1,190.*9.*1,010/)
          assert.isAtMost(await overflow(page), 0)
          await row.getByRole("link").click()
          await page.getByText("Some guests were not moved, or have points").waitFor()
          for (const [name, value] of [
            ["New members", "1,190"],
            ["Erased since", "1"],
            ["Not moved", "9"],
            ["Lots", "2,480"]
          ] as const)
            await figure(page, name, value).waitFor()
          const listed = page.getByRole("region", { name: "Faults, and what is left" })
          await listed.getByText("The first 2 of 1,010 are listed here.").waitFor()
          await listed
            .getByRole("row", { name: /17.*Karte.*A card of another member.*Merge the two members/s })
            .waitFor()
          // A later version's fault is told in its own words.
          await listed.getByRole("row", { name: /of_a_later_version.*Read about it\./s }).waitFor()
          assert.notStrictEqual(await page.title(), "taken")
          assert.isAtMost(await overflow(page), 0)
        })
        assert.deepStrictEqual(yield* barriers(page), [])
        assert.deepStrictEqual(faults, [])
      }
      // Without the right to read the audit there are imports alone.
      const token = yield* ask("POST", "/admin/api/v1/tokens", {
        name: "Marketer",
        scopes: ["audience:read", "figures:read", "programs:read"]
      })
      const { page } = yield* open("/audience/imports", { key: (token as { readonly secret: string }).secret })
      yield* Effect.promise(async () => {
        await page.getByRole("heading", { name: "Earlier imports" }).waitFor()
        await page.waitForLoadState("networkidle")
        assert.strictEqual(await page.getByText("Moves from another provider").count(), 0)
      })
    })
  )
}

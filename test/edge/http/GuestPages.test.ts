/** Holds contract/programmes.md *The guests' page*: addresses, policies, and what each programme has of its own. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Host } from "../../guest/Host.ts"
import { host, hostile, initial } from "../../guest/Host.ts"

let served: Host
beforeAll(async () => {
  served = await host(initial())
})
afterAll(() => served.close())

const get = (at: string): Promise<Response> => fetch(served.url + at, { redirect: "manual" })

describe("the files of the guests' page", () => {
  it("are under a policy that lets nothing in from elsewhere, and no script or style that is written into it", async () => {
    const page = await get("/my/bowl")
    assert.strictEqual(page.status, 200)
    const policy = page.headers.get("content-security-policy") ?? ""
    assert.include(policy, "default-src 'none'")
    assert.include(policy, "frame-ancestors 'none'")
    assert.notMatch(policy, /unsafe|https?:|data:|\*/)
    assert.strictEqual(page.headers.get("referrer-policy"), "no-referrer")
    const html = await page.text()
    assert.notMatch(html, /<style|<script(?![^>]* src=)|\sstyle=|\son\w+=/)
  })

  it("keep the address of the worker, which may work for all programmes", async () => {
    const worker = await get("/my/assets/worker.js")
    assert.strictEqual(worker.headers.get("service-worker-allowed"), "/my/")
    assert.strictEqual(worker.headers.get("cache-control"), "no-cache")
  })

  it("lead from a table's code to the page, with its location and no other parameter", async () => {
    const joined = await get("/join/bowl?at=harbour%207&x=1")
    assert.strictEqual(joined.status, 307)
    assert.strictEqual(joined.headers.get("location"), "/my/bowl?at=harbour%207#join")
    assert.strictEqual((await get("/join/a%2Fb")).headers.get("location"), "/my/a%2Fb#join")
  })

  it("lead from an address that ends with a slash to the page, with its parameters", async () => {
    const joined = await get("/my/acme:bowl/?at=harbour%207")
    assert.strictEqual(joined.status, 307)
    assert.strictEqual(joined.headers.get("location"), "/my/acme:bowl?at=harbour%207")
    assert.strictEqual((await get("/my/bowl/")).headers.get("location"), "/my/bowl")
  })

  it("lead from a mail's link that unsubscribes to the page, and do nothing by being fetched", async () => {
    const asked = await get("/my/bowl/unsubscribe/right")
    assert.strictEqual(asked.status, 307)
    assert.strictEqual(asked.headers.get("location"), "/my/bowl#unsubscribe=right")
    assert.strictEqual(served.state.unsubscribed, 0)
  })

  it("unsubscribe in one step by a form, as mail programs do, without a cookie or a token of a session", async () => {
    const post = (token: string) =>
      fetch(`${served.url}/my/bowl/unsubscribe/${token}`, {
        method: "POST",
        body: new URLSearchParams({ "List-Unsubscribe": "One-Click" })
      })
    assert.strictEqual((await post("right")).status, 200)
    assert.strictEqual((await post("wrong")).status, 404)
    assert.strictEqual(served.state.unsubscribed, 1)
  })

  it("have the programme's name and colour for telephones", async () => {
    const manifest = await get("/my/bowl/manifest.webmanifest")
    assert.strictEqual(manifest.headers.get("content-type"), "application/manifest+json")
    const { name, scope, start_url, theme_color } = (await manifest.json()) as Record<string, unknown>
    assert.deepStrictEqual(
      { name, scope, start_url, theme_color },
      { name: "Corner Bowl Rewards", scope: "/my/bowl", start_url: "/my/bowl", theme_color: "#1a7f5a" }
    )
  })

  it("draw an icon in which a hostile name is a letter", async () => {
    const other = await host(initial())
    try {
      other.state.facts = { ...other.state.facts, name: hostile }
      const icon = await fetch(`${other.url}/my/bowl/icon.svg`)
      assert.strictEqual(icon.headers.get("content-security-policy"), "default-src 'none'")
      assert.include(await icon.text(), ">&#60;</text>")
    } finally {
      await other.close()
    }
  })

  it("show the logo as a picture and nothing else, at an address that changes with it", async () => {
    assert.strictEqual((await get("/my/bowl/logo.png")).status, 404)
    const png = Buffer.from("png")
    served.state.logo = { png, width: 512, height: 256, url: "/my/bowl/logo.png?v=1", tag: "t" }
    try {
      const logo = await get("/my/bowl/logo.png?v=1")
      assert.deepStrictEqual(Buffer.from(await logo.arrayBuffer()), png)
      assert.strictEqual(logo.headers.get("content-type"), "image/png")
      assert.strictEqual(logo.headers.get("etag"), '"t"')
      assert.strictEqual(logo.headers.get("content-security-policy"), "default-src 'none'")
      const { icons } = (await (await get("/my/bowl/manifest.webmanifest")).json()) as { icons: ReadonlyArray<object> }
      assert.deepStrictEqual(icons[0], { src: "/my/bowl/logo.png?v=1", type: "image/png", sizes: "512x256" })
    } finally {
      served.state.logo = undefined
    }
  })

  it("are not there for a programme without a page", async () => {
    for (const at of ["/my/nobody", "/my/nobody/icon.svg", "/my/nobody/manifest.webmanifest"])
      assert.strictEqual((await get(at)).status, 404, at)
  })
})

/** contract/engagement.md *Mails of campaigns*: web addresses of the business's own text arrive whole. */
import { assert, it } from "@effect/vitest"
import { asHtml, asText } from "../../../src/capabilities/mail/Letter.ts"
import { letterOf } from "../../../src/capabilities/mailings/News.ts"

const text =
  "Order at https://www.corner-bowl.example/menu?day=1&at=2, or see http://corner-bowl.example/a_(b).\n" +
  "<b>Write</b> to hello@corner-bowl.example (https://corner-bowl.example)."
const letter = letterOf(
  { subject: "A bowl", text },
  {
    language: undefined,
    page: { name: "www.corner-bowl.example", colour: "#1a7f5a", languages: ["en"] },
    pageUrl: "https://points.example/my/demo",
    program_id: "demo",
    unsubscribeUrl: "https://points.example/my/demo/unsubscribe/t"
  }
)

it("addresses in a campaign's mail are whole in the text, and links in the HTML", () => {
  assert.include(asText(letter), text)
  const html = asHtml(letter, false)
  const links = [...html.matchAll(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g)].filter(([, to, said]) => to === said)
  assert.deepStrictEqual(
    links.map(([, to]) => to),
    [
      "https://www.corner-bowl.example/menu?day=1&amp;at=2",
      "http://corner-bowl.example/a_(b)",
      "https://corner-bowl.example"
    ]
  )
  assert.include(html, "<br>&lt;b&gt;Write&lt;/b&gt; to hello@corner-bowl.example (<a ")
})

it("names in mails that people wait for are no links", () => {
  const { hasOwnLinks: _, ...other } = letter
  for (const words of [asText(other), asHtml(other, false)]) {
    assert.notInclude(words, "www.corner-bowl.example")
    assert.include(words, "corner-bowl.\u200Bexample")
  }
})

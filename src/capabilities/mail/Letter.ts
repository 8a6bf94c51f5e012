/** The words of a mail, as plain text and as simple HTML that shows the same, with the look of who writes. Pure. */
import { inkOn } from "../../contract/Contrast.ts"

/** The look of who writes: of a programme's page, or of the business. */
export interface Look {
  readonly name: string
  /** `#rrggbb` */
  readonly colour?: string
  /** The programme whose logo it has; absent: the business's. */
  readonly program_id?: string
}

export interface Letter {
  readonly subject: string
  /** Paragraphs before what the mail is about. */
  readonly opening: ReadonlyArray<string>
  /** True if the opening is the business's own text, whose web addresses are links. */
  readonly hasOwnLinks?: boolean
  /** A page to open. */
  readonly link?: { readonly label: string; readonly url: string } | undefined
  /** A code to type. */
  readonly code?: string | undefined
  /** Paragraphs after it. */
  readonly closing: ReadonlyArray<string>
  /** A page that ends such mails, last of all. */
  readonly unsubscribe?: { readonly label: string; readonly url: string } | undefined
  /** BCP 47. */
  readonly language: string
  readonly look: Look
}

/** The id of the logo among the parts of a mail. */
export const logoId = "logo"

const escaped: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string => text.replace(/[&<>"']/g, (one) => escaped[one]!)

/** Names of people reach mails. One that looks like an address must not become a link in the reader's program. */
const unlinked = (text: string): string => text.replace(/(?<=\w)(:\/\/|\.)(?=\w)/g, (between) => `${between}\u200B`)

export const asText = ({ closing, code, hasOwnLinks, link, opening, unsubscribe }: Letter): string =>
  [
    ...(hasOwnLinks === true ? opening : opening.map(unlinked)),
    ...(code === undefined ? [] : [code]),
    ...(link === undefined ? [] : [`${link.label}:\n${link.url}`]),
    ...closing.map(unlinked),
    ...(unsubscribe === undefined ? [] : [`${unsubscribe.label}:\n${unsubscribe.url}`])
  ].join("\n\n")

/** HTML in which lines stay apart. */
const paragraphOf = (html: string): string => `<p style="margin:0 0 16px">${html.replaceAll("\n", "<br>")}</p>`

const paragraph = (text: string): string => paragraphOf(escape(unlinked(text)))

/** A web address in a text: the mark that ends the sentence is none of it, nor are brackets around it. */
const webAddress = /(https?:\/\/(?:[^\s()<>"]|\([^\s()<>"]*\))*(?:\([^\s()<>"]*\)|[^\s()<>"'.,;:!?\]}“”’»…]))/i

/** A paragraph whose web addresses are links. */
const linkedParagraph = (text: string): string =>
  paragraphOf(
    text
      .split(webAddress)
      .map(escape)
      .map((part, index) => (index % 2 === 0 ? part : `<a href="${part}" style="color:#0b5cad">${part}</a>`))
      .join("")
  )

const small = 'style="margin:0 0 16px;font-size:13px;word-break:break-all"'

/** The name on the colour, in black or white, whichever is read better; without a colour on the paper. */
const headOf = ({ colour, name }: Look, hasLogo: boolean): string => {
  const on = colour === undefined ? "padding:0 0 12px" : `padding:12px 16px;background:${colour};color:${inkOn(colour)}`
  const logo = hasLogo
    ? `<img src="cid:${logoId}" alt="" height="32" style="vertical-align:middle;margin-right:12px">`
    : ""
  return `<div style="${on};margin:0 0 24px;font-weight:600">${logo}${escape(unlinked(name))}</div>`
}

/** `hasLogo`: the mail has the picture as a part of its own, so that nothing is loaded. */
export const asHtml = (
  { closing, code, hasOwnLinks, language, link, look, opening, subject, unsubscribe }: Letter,
  hasLogo: boolean
): string =>
  [
    `<!doctype html><html lang="${escape(language)}"><head><meta charset="utf-8"><title>${escape(subject)}</title></head>`,
    '<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1a1a1a;background:#ffffff">',
    '<div style="max-width:480px;margin:0 auto">',
    headOf(look, hasLogo),
    ...opening.map(hasOwnLinks === true ? linkedParagraph : paragraph),
    ...(code === undefined
      ? []
      : [`<p style="margin:0 0 16px;font-size:32px;letter-spacing:6px"><strong>${escape(code)}</strong></p>`]),
    ...(link === undefined
      ? []
      : [
          `<p style="margin:0 0 16px"><a href="${escape(link.url)}" style="color:#0b5cad">${escape(link.label)}</a></p>`,
          // For readers that show no links.
          `<p ${small}>${escape(link.url)}</p>`
        ]),
    ...closing.map(paragraph),
    ...(unsubscribe === undefined
      ? []
      : [
          `<p ${small}><a href="${escape(unsubscribe.url)}" style="color:#595959">${escape(unsubscribe.label)}</a></p>`
        ]),
    "</div></body></html>"
  ].join("\n")

import react from "@vitejs/plugin-react"
import type { Selector, StyleRule } from "lightningcss"
import { transform } from "lightningcss"
import type { Plugin } from "vite"
import { defineConfig } from "vite"
import * as path from "node:path"
import { replacedBy } from "../bundle/Replaced.ts"

// With NODE_ENV=development in the environment the build would have React's slower development version.
process.env["NODE_ENV"] = "production"

const built = path.join(import.meta.dirname, "..", "..", ".console")
/** Where a build is made, so that a service that starts meanwhile finds the one before whole. */
const unfinished = `${built}.new`

/** Mantine's own classes. */
const ofMantine = /^m_[\da-f]+$/

/** Leaves out the rules of Mantine's components that no page uses: a component's code names its classes. */
const usedStyles: Plugin = {
  name: "used-styles",
  enforce: "post",
  generateBundle(_, bundle) {
    const files = Object.values(bundle)
    const code = files.map((file) => (file.type === "chunk" ? file.code : "")).join("\n")
    const isUsed = (selector: Selector) =>
      selector.every((part) => part.type !== "class" || !ofMantine.test(part.name) || code.includes(part.name))
    for (const file of files) {
      if (file.type !== "asset" || !file.fileName.endsWith(".css")) continue
      const visitor = {
        Rule: {
          style: (rule: { readonly type: "style"; readonly value: StyleRule }) => {
            if (!rule.value.selectors.some(isUsed)) return []
          }
        }
      }
      file.source = transform({ filename: file.fileName, code: Buffer.from(file.source), minify: true, visitor }).code
    }
  }
}

/** In the place of Effect's writer of JSON Schemas where the first page would load it. */
const noWriter = "without-json-schemas"
const noJsonSchemas = ["toJsonSchemaDocument", "toJsonSchemaMultiDocument"]
  .map((name) => `export function ${name}() { throw new Error("Only shape.ts has JSON Schemas") }`)
  .join("\n")
/** The modules of that writer: without state, so that `shape.ts` may have a copy of each. */
const writing = /[\\/](?:SchemaRepresentation|toJsonSchemaDocument|toRepresentation|JsonSchema|JsonPointer)(?:\.js)?$/

/**
 * Leaves out code that the page does not run: the contract's examples, which are only for its description, the
 * compiler of schemas, which the content security policy forbids, and the writer of JSON Schemas, which is a part of later
 * pages alone (`shape.ts`).
 */
const withoutUnused: Plugin = {
  name: "without-unused",
  enforce: "pre",
  async resolveId(id, importer = "") {
    if (writing.test(id) && /shape\.ts$|\?own$/.test(importer)) {
      const found = await this.resolve(id, importer, { skipSelf: true })
      return found === null ? null : `${found.id}?own`
    }
    return /[\\/]toJsonSchemaDocument\.js$/.test(id) ? noWriter : null
  },
  load(id) {
    if (/[eE]xamples\.json$/.test(id)) return "{}"
    if (id === noWriter) return noJsonSchemas
    return /SchemaJITCompiler[\\/]enable\.js$/.test(id) ? "" : null
  }
}

const isTranslation = (module: string | null): boolean => module?.includes("/translations/") === true

/** Writes into the page which files each file needs that the page itself does not load. */
const neededFiles: Plugin = {
  name: "needed-files",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle = {} }) => {
      const chunks = Object.values(bundle).flatMap((one) => (one.type === "chunk" ? [one] : []))
      const chunkOf = (fileName: string) => chunks.find((one) => one.fileName === fileName)
      const reached = (fileName: string, known: Set<string>): Set<string> => {
        if (known.has(fileName)) return known
        known.add(fileName)
        const chunk = chunkOf(fileName)
        for (const file of chunk?.imports ?? []) reached(file, known)
        for (const file of chunk?.viteMetadata?.importedCss ?? []) known.add(file)
        return known
      }
      const first = new Set<string>()
      for (const { fileName, isEntry } of chunks) if (isEntry) reached(fileName, first)
      const needed = chunks.flatMap(({ facadeModuleId, fileName, isDynamicEntry }) => {
        const files = [...reached(fileName, new Set())].filter((file) => !first.has(file))
        // A translation comes before everything, or not at all.
        return isDynamicEntry && !isTranslation(facadeModuleId)
          ? [[path.basename(fileName), files.map((file) => path.basename(file))] as const]
          : []
      })
      const children = JSON.stringify(Object.fromEntries(needed))
      return [{ tag: "script", attrs: { type: "application/json", id: "files" }, children, injectTo: "head" }]
    }
  }
}

/**
 * Puts the styles between the frame, which is drawn at once, and the page: in the head they would keep back everything until
 * they have come. Behind the page they would go before the theme's own.
 */
const stylesAfterFrame: Plugin = {
  name: "styles-after-frame",
  transformIndexHtml: {
    order: "post",
    handler: (html) => {
      const links = html.match(/\s*<link rel="stylesheet"[^>]*>/g) ?? []
      return links.reduce((page, link) => page.replace(link, "").replace(/\s*<div id="root">/, `${link}$&`), html)
    }
  }
}

/** Builds the console into `.console`, which the service serves under `/console`. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  plugins: [withoutUnused, react(), usedStyles, neededFiles, stylesAfterFrame, replacedBy(unfinished, built)],
  build: {
    outDir: unfinished,
    emptyOutDir: true,
    target: "es2022",
    // Inlined assets (data:) would need an exception in the content security policy.
    assetsInlineLimit: 0,
    // `files.ts` fetches what a file needs before it is imported.
    modulePreload: false,
    // Code of the first page is one file: it compresses better than many, and contains nothing of later pages.
    rolldownOptions: {
      output: {
        chunkFileNames: "assets/[name]-[hash:7].js",
        codeSplitting: {
          groups: [
            { name: "first", tags: ["$initial"] },
            // Parts that all pages of figures have, and the contract's examples, which are empty: one file, not twenty.
            {
              name: "figures",
              test: new RegExp(
                [
                  String.raw`[\\/](?:saveFile|csv|locations|overview|refresh)\.ts$`,
                  String.raw`[\\/](?:SaveFigures|Change|Heading|Help|Note|Panel|Wide|toFigures)\.tsx$`,
                  String.raw`[\\/](?:admin[\\/]Overview|contract[\\/]Lists)\.ts$`,
                  String.raw`[\\/](?:Badge|SimpleGrid|to-int|get-base-value)[^\\/]*\.mjs$`,
                  String.raw`[eE]xamples\.json$`
                ].join("|")
              )
            },
            { name: "asks", test: /[\\/]asks[\\/](?:Asks\.tsx|askStrings\.ts|asking\.ts)$/ }
          ]
        }
      }
    },
    chunkSizeWarningLimit: 1_000
  }
})

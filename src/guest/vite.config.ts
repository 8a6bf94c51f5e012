import { defineConfig } from "vite"
import * as path from "node:path"
import { replacedBy } from "../bundle/Replaced.ts"

const built = path.join(import.meta.dirname, "..", "..", ".guest")
/** Where a build is made, so that a service that starts meanwhile finds the one before whole. */
const unfinished = `${built}.new`

/** Builds the guests' page into `.guest`, which the service serves under `/my`. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/my/",
  plugins: [replacedBy(unfinished, built)],
  build: {
    outDir: unfinished,
    emptyOutDir: true,
    target: "es2022",
    // Inlined assets (data:) would need an exception in the content security policy.
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: {
      input: {
        page: path.join(import.meta.dirname, "index.html"),
        worker: path.join(import.meta.dirname, "worker.ts")
      },
      output: {
        // The address of a service worker stays.
        entryFileNames: ({ name }) => (name === "worker" ? "assets/worker.js" : "assets/[name]-[hash:7].js"),
        chunkFileNames: "assets/[name]-[hash:7].js",
        assetFileNames: "assets/[name]-[hash:7][extname]"
      }
    }
  }
})

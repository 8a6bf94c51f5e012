/** The console in a real browser: one browser and one service for all of its pages. */
import { layer } from "@effect/vitest"
import { layer as consoleLayer } from "./Console.ts"
import { entrance } from "./Entrance.ts"
import { pages } from "./Pages.ts"
import { programme } from "./Programme.ts"

layer(consoleLayer, { excludeTestServices: true })("the console", (it) => {
  entrance(it)
  pages(it)
  programme(it)
})

/**
 * The console in a real browser: one browser and one service for all of its pages. Each test passes alone (`-t`) and in
 * any order: it changes only guests of its own, or what it then puts back.
 */
import { layer } from "@effect/vitest"
import { attention } from "./Attention.ts"
import { audience } from "./Audience.ts"
import { challenges } from "./Challenges.ts"
import { layer as consoleLayer } from "./Console.ts"
import { connectors } from "./Connectors.ts"
import { restaurants } from "./Restaurants.ts"
import { requests } from "./Requests.ts"
import { promotions } from "./Promotions.ts"
import { rewards } from "./Rewards.ts"
import { earning } from "./Earning.ts"
import { entrance } from "./Entrance.ts"
import { firstLoad } from "./FirstLoad.ts"
import { frame } from "./Frame.ts"
import { general } from "./General.ts"
import { guests } from "./Guest.ts"
import { imports } from "./Imports.ts"
import { withoutService } from "./Lost.ts"
import { pages } from "./Pages.ts"
import { profile } from "./Profile.ts"
import { programme } from "./Programme.ts"
import { programmeForm } from "./ProgrammeForm.ts"
import { secrets } from "./Secrets.ts"
import { takeBack } from "./TakeBack.ts"
import { tiers } from "./Tiers.ts"
import { translated } from "./Translated.ts"
import { today } from "./Today.ts"
import { touched } from "./Touched.ts"
import { trouble } from "./Trouble.ts"
import { unsaved } from "./Unsaved.ts"
import { wording } from "./Wording.ts"
import { yesterday } from "./Yesterday.ts"

layer(consoleLayer, { excludeTestServices: true })("the console", (it) => {
  entrance(it)
  firstLoad(it)
  frame(it)
  pages(it)
  profile(it)
  guests(it)
  today(it)
  attention(it)
  yesterday(it)
  connectors(it)
  requests(it)
  restaurants(it)
  imports(it)
  touched(it)
  trouble(it)
  withoutService(it)
  secrets(it)
  programme(it)
  programmeForm(it)
  general(it)
  rewards(it)
  promotions(it)
  challenges(it)
  tiers(it)
  translated(it)
  earning(it)
  audience(it)
  takeBack(it)
  unsaved(it)
  wording(it)
})

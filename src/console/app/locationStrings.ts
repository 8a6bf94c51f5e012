/** Every English text about restaurants. Apart from the others: the first page does not load them. */
import { texts } from "./texts.ts"

export const locationStrings = texts("location", {
  title: "Restaurants",
  add: "Add a restaurant",
  addSubmit: "Add",
  rename: "Edit",
  save: "Save",
  name: "Name",
  unnamed: "no name yet",
  id: "Location id",
  idHint: "As the till sends it in scope.location_id.",
  nameHint: "What people call it, such as East Side.",
  address: "Address",
  brand: "Brand",
  zone: "Time zone",
  programZone: (zone: string) => `The programme's (${zone})`,
  lastOrder: (zone: string) => `Last order (${zone})`,
  exactTo: "Last order is exact to",
  toQuarter: "15 minutes",
  toDay: "a day",
  silentDays: "Open days without orders",
  counted: (all: number, silent: number) => `${all} restaurants, ${silent === 0 ? "none" : silent} silent`,
  about: (time: string) => `about ${time}`,
  never: "no order yet",
  closed: "Closed for good",
  closedHint: "It leaves the lists. What is past keeps its name.",
  showClosed: (count: number) => `Show closed ones (${count})`,
  silent: "Silent",
  silentHint: (days: number) => `no orders on ${days} open ${days === 1 ? "day" : "days"}`,
  none: "No restaurants yet",
  noneHint: "They appear with their first order, or when you add them."
})

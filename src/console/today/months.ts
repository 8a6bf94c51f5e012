/** Months as ranges of days. Pure. */

/** The days of today's month up to today, or those of the month before. `today`: `YYYY-MM-DD`. */
export const monthDays = (today: string, month: "this" | "last"): { readonly from: string; readonly to: string } => {
  const first = `${today.slice(0, 7)}-01`
  if (month === "this") return { from: first, to: today }
  const to = new Date(Date.parse(first) - 86_400_000).toISOString().slice(0, 10)
  return { from: `${to.slice(0, 7)}-01`, to }
}

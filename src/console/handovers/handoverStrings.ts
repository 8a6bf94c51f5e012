/** Every English text of work that people hand over. */
import { texts } from "../shared/texts.ts"

export const handoverStrings = texts("handover", {
  does: {
    campaign: (name: string) => `activate the campaign “${name}”`,
    audience: (name: string) => `confirm the changed audience of “${name}”`,
    program: "publish a change of the programme"
  },
  put: { campaign: "Activate", audience: "Confirm", program: "Publish" },
  putOf: {
    campaign: (name: string) => `Activate “${name}”`,
    audience: (name: string) => `Confirm the audience of “${name}”`,
    program: "Publish the change of the programme"
  },
  handOver: "Hand over",
  handOverOf: (does: string) => `Hand over: ${does}`,
  before: (roles: string) =>
    `You may prepare this, but not put it in force. When it is done, hand it over. Who may put it in force: ${roles}. They see it on Today.`,
  explained: (roles: string) =>
    `It appears on Today of those who may put it in force, for 14 days: ${roles}. They see the same preview, and put it in force or send it back with a note. Nothing is in force yet.`,
  reason: "What it is for",
  reasonHint: "Who decides reads it. It must not contain personal data of guests.",
  handed: "It is handed over. The answer appears on Today.",
  waiting: "Handed over to you",
  own: "What you handed over",
  asks: {
    campaign: (who: string, name: string) => `${who} asks you to activate the campaign “${name}”.`,
    audience: (who: string, name: string) => `${who} asks you to confirm the changed audience of “${name}”.`,
    program: (who: string) => `${who} asks you to publish a change of the programme.`
  },
  yours: {
    campaign: (name: string) => `You asked others to activate the campaign “${name}”.`,
    audience: (name: string) => `You asked others to confirm the changed audience of “${name}”.`,
    program: "You asked others to publish a change of the programme."
  },
  by: (who: string) => `${who} has handed this change over`,
  byYou: "You have handed this change over",
  because: (reason: string, when: string) => `“${reason}”, ${when}`,
  changed: "It has changed since it was handed over. The preview shows it as it is now.",
  open: "Open it in the editor",
  preview: "What it would do",
  sendBack: "Send back",
  sendBackOf: (does: string) => `Send back: ${does}`,
  sentBack: "It is sent back, with your note.",
  note: "What you tell the person who handed it over",
  noteHint: "It must not contain personal data of guests.",
  takeBack: "Take back",
  takeBackOf: (does: string) => `Take back: ${does}`,
  takenBack: "Taken back",
  states: {
    open: "Nobody has answered yet.",
    done: "It is in force.",
    doneBy: (by: string) => `${by} has put it in force.`,
    declined: (by: string, note: string) => `${by} has sent it back: “${note}”`,
    over: "Nobody answered within 14 days. Hand it over again if it still matters."
  }
})

import { noteStrings } from "../shared/form/noteStrings.ts"
import { wrapperOrder } from "./DraftDialog.tsx"

/** The parts of the programme's form that are the same in each of its sections. Notes stand below, which aligns neighbouring inputs. */
export const formNotes = { notes: noteStrings, order: wrapperOrder }

import { Layer } from "effect"
import * as MemoryJournal from "../../../src/core/journal/MemoryJournal.ts"
import { journalSuite } from "./JournalSuite.ts"

journalSuite("the journal in memory", MemoryJournal.layer.pipe(Layer.provide(MemoryJournal.MemoryStorage.layer)))

import { Layer } from "effect"
import * as MemoryFeed from "../../src/feed/MemoryFeed.ts"
import * as MemoryJournal from "../../src/journal/MemoryJournal.ts"
import { feedSuite } from "./FeedSuite.ts"

feedSuite(
  "the feed in memory",
  Layer.merge(MemoryFeed.layer, MemoryJournal.layer).pipe(Layer.provide(MemoryJournal.MemoryStorage.layer))
)

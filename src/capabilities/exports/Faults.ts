/** Why there is no export. Nothing is half done: there is either a whole file or none. */
import { Schema } from "effect"

/** The file is no whole export, or the tables disagree with each other. */
export class Damaged extends Schema.TaggedError<Damaged>()("Damaged", { detail: Schema.String }) {}

/** The file cannot be written or opened; the message has the reason. */
export class Unusable extends Schema.TaggedError<Unusable>()("Unusable", { message: Schema.String }) {}

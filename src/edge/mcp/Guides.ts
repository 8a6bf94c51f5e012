/** The guides as the process gives them to this wing, which serves them to people and assistants. */
export interface Link {
  readonly path: string
  readonly title: string
}

export interface Guide extends Link {
  /** Absent: English. */
  readonly language?: "de"
  /** Markdown. */
  readonly text: string
  /** The same as HTML, without the frame of a page. */
  readonly html: string
}

export interface Guides {
  /** The pages that link to one another. */
  readonly links: ReadonlyArray<Link>
  /** All guides, and the pages of contract and runbook. */
  readonly all: ReadonlyArray<Guide>
}

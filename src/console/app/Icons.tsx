/** The frame's icons: lines of one width in the text's colour. */

const lines = {
  today: "M4 20v-8M10 20V5M16 20v-6M3 20h18",
  counter:
    "M4 8V5a1 1 0 0 1 1-1h3M16 4h3a1 1 0 0 1 1 1v3M20 16v3a1 1 0 0 1-1 1h-3M8 20H5a1 1 0 0 1-1-1v-3M8 8.5v7M12 8.5v7M16 8.5v7",
  members: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 20.5c.6-3.4 3.8-5.5 8-5.5s7.4 2.1 8 5.5",
  restaurants: "M6 3v7a2.5 2.5 0 0 0 5 0V3M8.5 12.5V21M17 3c-2 1.5-3 4-3 7h3M17 3v18",
  audience: "M4 10v4l11 4.5v-13zM15 9.5a2.5 2.5 0 0 1 0 5M7 15.5v4h3v-2.8",
  programme: "M12 3.5l2.6 5.5 6 .8-4.4 4.2 1.1 6-5.3-2.9L6.7 20l1.1-6-4.4-4.2 6-.8z",
  developers: "M8 7l-5 5 5 5M16 7l5 5-5 5",
  finance: "M5 4h14v16H5zM8.5 8h7M8.5 12h7M8.5 16h3",
  service: "M4 5h16v5H4zM4 14h16v5H4zM7.5 7.5h.01M7.5 16.5h.01",
  people:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c.5-3.2 3-5 6.5-5s6 1.8 6.5 5M16 4.3a3.5 3.5 0 0 1 0 6.5M18.5 15.6c1.7.8 2.7 2.3 3 4.4",
  account:
    "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 12a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM6 18.5c1-2.4 3.2-3.5 6-3.5s5 1.1 6 3.5",
  audit: "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01",
  docs: "M5 17.5V6a2 2 0 0 1 2-2h12v16H7.5A2.5 2.5 0 0 1 5 17.5zm0 0A2.5 2.5 0 0 1 7.5 15H19"
} as const

export type IconName = keyof typeof lines

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg
    width="18"
    height="18"
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    strokeWidth="2"
    strokeLinecap="round"
    strokeLinejoin="round"
    aria-hidden="true"
  >
    <path d={lines[name]} />
  </svg>
)

/** The product's logo, also used as the tab's icon. */
export const Mark = () => (
  <svg width="26" height="26" viewBox="0 0 24 24" aria-hidden="true">
    <rect width="24" height="24" rx="6" fill="#364fc7" />
    <path
      d="M8 5.5v12.5h8.5"
      fill="none"
      stroke="#fff"
      strokeWidth="2.6"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
    <circle cx="15" cy="9" r="2.7" fill="#ffd43b" />
  </svg>
)

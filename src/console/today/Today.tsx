/** The day on one page: what needs attention, its figures beside those before, and the restaurants that have changed most. */
import { Box, Group, Stack } from "@mantine/core"
import { Suspense, useEffect, useState } from "react"
import { timeShort } from "../shared/format.ts"
import { Heading } from "../shared/Heading.tsx"
import { later } from "../shared/Later.tsx"
import { Note } from "../shared/Note.tsx"
import { useOverview } from "../shared/overview.ts"
import { ButtonLink, PageLink } from "../shared/PageLink.tsx"
import { useZone } from "../shared/program.tsx"
import { Shown } from "../shared/States.tsx"
import { useIsRoot, useMay } from "../shared/session.tsx"
import { strings } from "../shared/strings.ts"
import { DayFigures } from "./DayFigures.tsx"
import { figuresPath } from "./todaySearch.ts"
import { toFigures } from "./toFigures.tsx"

const text = strings.today

/** Restaurants that are shown: the page fits two screens with them, and four of a telephone. */
const mostRestaurants = 8

/** Loaded separately, so that the figures above do not wait. */
const Writes = later(() => import("../service/Writes.tsx"), "Writes")
// With its table, which the numbers of today do without.
const Asks = later(() => import("../asks/Asks.tsx"), "Asks")
const Handovers = later(() => import("../handovers/Handovers.tsx"), "Handovers")
const Attention = later(() => import("./Attention.tsx"), "Attention")
const Ranking = later(() => import("../restaurants/Ranking.tsx"), "Ranking")
const SetUp = later(() => import("./SetUp.tsx"), "SetUp")
const Yesterday = later(() => import("./Yesterday.tsx"), "Yesterday")

/** Tells once it is drawn. */
const Drawn = ({ tell }: { readonly tell: (isDrawn: boolean) => void }) => {
  useEffect(() => tell(true), [tell])
  return undefined
}

export const Today = () => {
  const overview = useOverview()
  const zone = useZone()
  const may = useMay()
  const isRoot = useIsRoot()
  // Work that is handed over for weeks waits for the numbers, whose files come first.
  const [isDrawn, setDrawn] = useState(!may("analytics"))
  return (
    <Stack>
      <Group justify="space-between" align="baseline">
        <Heading help="today">{text.title}</Heading>
        <Group gap="xs" align="baseline">
          <Note>
            {overview.data === undefined ? "" : `${text.asOf(timeShort(overview.data.overview.as_of, zone))} (${zone})`}
          </Note>
          <ButtonLink size="xs" variant="default" to={figuresPath}>
            {text.allFigures}
          </ButtonLink>
        </Group>
      </Group>
      {isRoot ? (
        <Suspense>
          <SetUp />
        </Suspense>
      ) : undefined}
      <Shown query={overview}>
        {({ answeredAt, overview: data }) => (
          <>
            {data.service.write_frozen ? (
              <Suspense>
                <Writes isFrozen />
              </Suspense>
            ) : undefined}
            {may("listAsks") ? (
              <Suspense>
                <Asks />
              </Suspense>
            ) : undefined}
            {may("listHandovers") && isDrawn ? (
              <Suspense>
                <Handovers />
              </Suspense>
            ) : undefined}
            <Suspense>
              <Attention overview={data} answeredAt={answeredAt} />
            </Suspense>
            <DayFigures overview={data} />
            {may("analytics") ? (
              // Sections below must not move when it comes.
              <Suspense fallback={<Box mih="10rem" />}>
                <Yesterday serviceTime={data.as_of}>
                  <Drawn tell={setDrawn} />
                  <Suspense fallback={<Box mih="20rem" />}>
                    <Ranking
                      serviceTime={data.as_of}
                      most={mostRestaurants}
                      link={toFigures}
                      all={(label) => (
                        <PageLink to={figuresPath} hash="restaurants" underline="always">
                          {label}
                        </PageLink>
                      )}
                    />
                  </Suspense>
                </Yesterday>
              </Suspense>
            ) : undefined}
          </>
        )}
      </Shown>
    </Stack>
  )
}

/** The part of PromQL that the alert rules use, evaluated over series of a test as Prometheus does. */

export interface Series {
  /** With the metric's name as `__name__`. */
  readonly labels: Readonly<Record<string, string>>
  /** Values a minute apart, the last one now; undefined: there was none. */
  readonly values: ReadonlyArray<number | undefined>
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The time of the evaluation, seconds since 1970. */
export const now = 1_800_000_000

type Result = number | ReadonlyArray<Sample>

const tokenPattern =
  /\s+|(?<text>"[^"]*")|(?<duration>\d+[mh]\b)|(?<number>\d+(?:\.\d+)?)|(?<word>[a-z_][a-z0-9_]*)|(?<sign>=~|!=|==|<|>|[=(){}[\],*+-])/gy

const tokensOf = (query: string): ReadonlyArray<string> => {
  const tokens = [...query.matchAll(tokenPattern)].map(([token]) => token)
  if (tokens.join("") !== query) throw new Error(`not understood: ${query}`)
  return tokens.filter((token) => token.trim() !== "")
}

const minutesOf = (duration: string): number => {
  if (!/^\d+[mh]$/.test(duration)) throw new Error(`not a duration: ${duration}`)
  return Number(duration.slice(0, -1)) * (duration.endsWith("h") ? 60 : 1)
}

const keyOf = (labels: Readonly<Record<string, string>>, without: ReadonlyArray<string> = ["__name__"]): string =>
  JSON.stringify(
    Object.entries(labels)
      .filter(([name]) => !without.includes(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  )

const unnamed = ({ __name__: _, ...labels }: Readonly<Record<string, string>>) => labels

const vectorOf = (result: Result): ReadonlyArray<Sample> => {
  if (typeof result === "number") throw new Error("a number where series are needed")
  return result
}

const precedences: Readonly<Record<string, number>> = {
  or: 1,
  unless: 2,
  "==": 3,
  "<": 3,
  ">": 3,
  "+": 4,
  "-": 4,
  "*": 5
}

const aggregates: Readonly<Record<string, (values: ReadonlyArray<number>) => number>> = {
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  sum: (values) => values.reduce((sum, one) => sum + one, 0),
  count: (values) => values.length
}

/** Parses and evaluates a query in one pass. */
class Evaluation {
  private at = 0
  private readonly tokens: ReadonlyArray<string>
  private readonly series: ReadonlyArray<Series>

  constructor(query: string, series: ReadonlyArray<Series>) {
    this.tokens = tokensOf(query)
    this.series = series
  }

  run(): Result {
    const result = this.operators(0)
    if (this.at < this.tokens.length) throw new Error(`not understood from ${this.tokens.slice(this.at).join(" ")}`)
    return result
  }

  private isNext(token: string): boolean {
    return this.tokens[this.at] === token
  }

  private take(expected?: string): string {
    const token = this.tokens[this.at] ?? ""
    if (expected !== undefined && token !== expected) throw new Error(`${expected} is expected, not ${token}`)
    this.at++
    return token
  }

  private operators(above: number): Result {
    let left = this.operand()
    for (;;) {
      const operator = this.tokens[this.at] ?? ""
      const precedence = precedences[operator] ?? 0
      if (precedence <= above) return left
      this.take()
      left = apply(operator, left, this.operators(precedence))
    }
  }

  private operand(): Result {
    const token = this.take()
    if (/^\d/.test(token)) return Number(token)
    if (token === "(") {
      const inner = this.operators(0)
      this.take(")")
      return inner
    }
    if (token in aggregates) return this.aggregate(token)
    if (token === "time") {
      this.take("(")
      this.take(")")
      return now
    }
    if (token === "abs") {
      this.take("(")
      const inner = vectorOf(this.operators(0))
      this.take(")")
      return inner.map((sample) => ({ ...sample, value: Math.abs(sample.value) }))
    }
    if (token === "histogram_quantile") {
      this.take("(")
      const quantile = Number(this.take())
      this.take(",")
      const buckets = vectorOf(this.operators(0))
      this.take(")")
      return quantiles(quantile, buckets)
    }
    if (token === "rate") {
      this.take("(")
      const rates = this.select(this.take(), true)
      this.take(")")
      return rates
    }
    return this.select(token, false)
  }

  private aggregate(how: string): ReadonlyArray<Sample> {
    const by: Array<string> = []
    if (this.isNext("by")) {
      this.take()
      this.take("(")
      for (;;) {
        by.push(this.take())
        if (this.take() === ")") break
      }
    }
    this.take("(")
    const samples = vectorOf(this.operators(0))
    this.take(")")
    const groups = Map.groupBy(samples, ({ labels }) =>
      keyOf(Object.fromEntries(by.map((name) => [name, labels[name] ?? ""])))
    )
    return [...groups.values()].map((group) => ({
      labels: Object.fromEntries(by.map((name) => [name, group[0]?.labels[name] ?? ""])),
      value: aggregates[how]!(group.map(({ value }) => value))
    }))
  }

  private select(name: string, isRate: boolean): ReadonlyArray<Sample> {
    const matchers = [{ name: "__name__", how: "=", value: name }]
    if (this.isNext("{")) {
      this.take()
      while (!this.isNext("}")) {
        matchers.push({ name: this.take(), how: this.take(), value: this.take().slice(1, -1) })
        if (this.isNext(",")) this.take()
      }
      this.take("}")
    }
    let minutes = 0
    if (isRate) {
      this.take("[")
      minutes = minutesOf(this.take())
      this.take("]")
    }
    let offset = 0
    if (this.isNext("offset")) {
      this.take()
      offset = minutesOf(this.take())
    }
    return this.series.flatMap(({ labels, values }) => {
      if (!matchers.every((one) => matches(labels[one.name] ?? "", one.how, one.value))) return []
      const end = values.length - 1 - offset
      const last = values[end]
      if (last === undefined) return []
      if (!isRate) return [{ labels, value: last }]
      const first = values[end - minutes]
      return first === undefined ? [] : [{ labels: unnamed(labels), value: (last - first) / (minutes * 60) }]
    })
  }
}

const matches = (found: string, how: string, value: string): boolean => {
  if (how === "=") return found === value
  if (how === "!=") return found !== value
  return new RegExp(`^(?:${value})$`).test(found)
}

const compute = (operator: string, left: number, right: number): number | undefined => {
  switch (operator) {
    case "*":
      return left * right
    case "+":
      return left + right
    case "-":
      return left - right
    case "==":
      return left === right ? left : undefined
    case "<":
      return left < right ? left : undefined
    case ">":
      return left > right ? left : undefined
    default:
      throw new Error(`${operator} is not understood`)
  }
}

const apply = (operator: string, left: Result, right: Result): Result => {
  if (operator === "or" || operator === "unless") {
    const [ours, theirs] = [vectorOf(left), vectorOf(right)]
    const keys = new Set((operator === "or" ? ours : theirs).map(({ labels }) => keyOf(labels)))
    return operator === "or"
      ? [...ours, ...theirs.filter(({ labels }) => !keys.has(keyOf(labels)))]
      : ours.filter(({ labels }) => !keys.has(keyOf(labels)))
  }
  if (typeof left === "number" && typeof right === "number") return compute(operator, left, right) ?? Number.NaN
  if (typeof left === "number") {
    return vectorOf(right).map((sample) => ({ ...sample, value: compute(operator, left, sample.value) ?? Number.NaN }))
  }
  const others = typeof right === "number" ? undefined : new Map(right.map((one) => [keyOf(one.labels), one.value]))
  return left.flatMap((sample) => {
    const other = others === undefined ? (right as number) : others.get(keyOf(sample.labels))
    const value = other === undefined ? undefined : compute(operator, sample.value, other)
    return value === undefined ? [] : [{ labels: unnamed(sample.labels), value }]
  })
}

/** Interpolates linearly in the bucket, as Prometheus does. */
const quantiles = (quantile: number, buckets: ReadonlyArray<Sample>): ReadonlyArray<Sample> =>
  [...Map.groupBy(buckets, ({ labels }) => keyOf(labels, ["le"])).values()].flatMap((group) => {
    const sorted = group
      .map(({ labels, value }) => ({ le: labels["le"] === "+Inf" ? Infinity : Number(labels["le"]), value }))
      .toSorted((a, b) => a.le - b.le)
    const total = sorted.at(-1)?.value ?? 0
    if (total === 0) return []
    const index = sorted.findIndex(({ value }) => value >= quantile * total)
    const [below, bucket] = [sorted[index - 1] ?? { le: 0, value: 0 }, sorted[index]]
    const { le: _, ...labels } = group[0]?.labels ?? {}
    if (bucket === undefined || bucket.le === Infinity) return [{ labels, value: below.le }]
    const share = (quantile * total - below.value) / (bucket.value - below.value)
    return [{ labels, value: below.le + (bucket.le - below.le) * share }]
  })

/** The series that a rule's query returns now: each of them is an alert. */
export const evaluate = (query: string, series: ReadonlyArray<Series>): ReadonlyArray<Sample> =>
  vectorOf(new Evaluation(query.replaceAll(/\s+/g, " ").trim(), series).run())

/** A wizard: three questions in a dialog, then a sentence that says what will happen, and about what it costs. */
import { Alert, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core"
import type { ReactNode } from "react"
import { useRef, useState } from "react"
import { weekdays } from "../../contract/Promotions.ts"
import { optionsOf, Several } from "../programme/DraftDialog.tsx"
import type { NamedItem } from "../programme/named.ts"
import { occasionStrings } from "../programme/occasionStrings.ts"
import { daysInWords } from "../programme/occasionWords.ts"
import { SoldInput } from "../shared/choosers/SoldInput.tsx"
import { ChangeDialog } from "../shared/form/ChangeDialog.tsx"
import { NumberField } from "../shared/form/NumberField.tsx"
import type { Once } from "../shared/form/once.ts"
import { digitsOf } from "../shared/format.ts"
import { Note } from "../shared/Note.tsx"
import type { Answers, Question } from "./answers.ts"
import { faultOf, isAnswered, noAnswers } from "./answers.ts"
import type { Known } from "./programWizards.ts"
import { useToday } from "./told.ts"
import { wizardStrings as text } from "./wizardStrings.ts"

interface FieldProps {
  readonly question: Question
  readonly label: string
  readonly answers: Answers
  readonly put: (more: Partial<Answers>) => void
  readonly currency: string
  readonly rewards: ReadonlyArray<NamedItem>
  readonly fault: string | undefined
}

/** Several inputs that answer one question. */
const Together = ({ children, label }: { readonly label: string; readonly children: ReactNode }) => (
  <Stack gap={6} role="group" aria-label={label}>
    <Text size="sm" fw={600} component="div">
      {label}
    </Text>
    {children}
  </Stack>
)

const Hours = ({ answers, fault, label, put }: FieldProps) => (
  <Together label={label}>
    <Group grow align="flex-start">
      {(["from", "until"] as const).map((of) => (
        <TextInput
          key={of}
          type="time"
          label={text[of]}
          value={answers[of]}
          onChange={({ currentTarget }) => put({ [of]: currentTarget.value })}
          error={of === "until" ? fault : undefined}
        />
      ))}
    </Group>
  </Together>
)

const Reward = ({ answers, label, put, rewards }: FieldProps) =>
  rewards.length === 0 ? (
    <Together label={label}>
      <Note>{text.needsReward}</Note>
    </Together>
  ) : (
    <NativeSelect
      label={label}
      required
      value={answers.reward}
      data={[
        ...(answers.reward === "" ? [{ value: "", label: text.choose }] : []),
        ...rewards.map(({ id, name }) => ({ value: id, label: name }))
      ]}
      onChange={({ currentTarget }) => put({ reward: currentTarget.value })}
    />
  )

const Field = (props: FieldProps) => {
  const { answers, currency, fault, label, put, question } = props
  switch (question.is) {
    case "on":
      return (
        <Together label={label}>
          {(["products", "categories"] as const).map((of) => (
            <SoldInput
              key={of}
              of={of}
              // A dialog begins at its first field: a list that opens at once would cover the questions.
              openOnFocus={of !== "products"}
              label={occasionStrings[of]}
              value={answers.on[of]}
              onChange={(ids) => put({ on: { ...answers.on, [of]: ids } })}
            />
          ))}
        </Together>
      )
    case "hours":
      return <Hours {...props} />
    case "reward":
      return <Reward {...props} />
    case "days":
      return (
        <Several
          label={label}
          options={weekdays.map((day) => ({ value: day, label: daysInWords([day]) }))}
          value={answers.days}
          onChange={(days) => put({ days })}
        />
      )
    case "earns":
      return (
        <NativeSelect
          label={label}
          value={answers.earns}
          data={optionsOf(["nothing", "most"] as const, text.cateringCap.earnsKinds)}
          onChange={({ currentTarget }) => put({ earns: currentTarget.value === "most" ? "most" : "nothing" })}
        />
      )
    case "number":
      return (
        <NumberField
          label={label}
          required
          value={answers[question.name]}
          onChange={(next) => put({ [question.name]: next })}
          error={fault}
        />
      )
    case "last":
    case "total":
      return (
        <TextInput
          label={question.is === "total" ? `${label} (${currency})` : label}
          required
          {...(question.is === "last" ? { type: "date" } : { inputMode: "decimal" as const })}
          value={answers[question.is]}
          onChange={({ currentTarget }) => put({ [question.is]: currentTarget.value })}
          error={fault}
        />
      )
  }
}

/** The parts of a wizard's description that its dialog shows. */
interface Described {
  readonly asks: readonly [Question, Question, Question]
  readonly starts: Partial<Answers>
}

/** Effects on others, or of others. */
export interface Notes {
  /** Why it would never be given: it cannot be saved. */
  readonly never?: string | undefined
  readonly warning?: ReactNode
}

export const Wizard = <A,>(props: {
  readonly of: Described
  readonly name: string
  /** The three questions, in words. */
  readonly labels: readonly [string, string, string]
  readonly currency: string
  readonly rewards: ReadonlyArray<NamedItem>
  /** Of its kind, what is there already: the first is changed unless another one is wanted. */
  readonly known?: ReadonlyArray<Known>
  /** The sentence that says what will happen. */
  readonly says: (answers: Answers) => string
  readonly cost: (answers: Answers, changes: string | undefined) => ReactNode
  readonly notes: (answers: Answers, changes: string | undefined) => Notes
  readonly submit: string
  readonly told: string
  readonly run: (answers: Answers, keyOf: Once["keyOf"], changes: string | undefined) => Promise<A>
  readonly done: (made: A) => void
}) => {
  const { cost, currency, done, known = [], labels, name, notes, of, rewards, run, says, submit, told } = props
  const startWith = (one: Known | undefined) => ({
    answers: { ...noAnswers, ...of.starts, ...one?.answers },
    id: one?.id
  })
  const [{ answers, id }, setState] = useState(() => startWith(known[0]))
  const made = useRef<A>(undefined)
  const judged = { digits: digitsOf(currency), today: useToday() }
  const isComplete = of.asks.every((question) => isAnswered(question, answers, judged))
  const noted = isComplete ? notes(answers, id) : {}
  return (
    <ChangeDialog
      label={name}
      submit={submit}
      told={told}
      isReady={isComplete && noted.never === undefined}
      begin={() => setState(startWith(known[0]))}
      run={async (keyOf) => {
        made.current = await run(answers, keyOf, id)
      }}
      done={() => {
        if (made.current !== undefined) done(made.current)
      }}
    >
      {known.length === 0 ? undefined : (
        <NativeSelect
          label={text.exists}
          value={id ?? ""}
          data={[
            ...known.map((one) => ({ value: one.id, label: text.changeIt(one.name) })),
            { value: "", label: text.another }
          ]}
          onChange={({ currentTarget }) => setState(startWith(known.find((one) => one.id === currentTarget.value)))}
        />
      )}
      {of.asks.map((question, place) => (
        <Field
          key={labels[place]}
          question={question}
          label={`${place + 1}. ${labels[place]}`}
          answers={answers}
          put={(more) => setState((before) => ({ ...before, answers: { ...before.answers, ...more } }))}
          currency={currency}
          rewards={rewards}
          fault={faultOf(question, answers, judged)}
        />
      ))}
      {noted.never === undefined ? (
        <Alert title={text.result} role="status">
          {isComplete ? (
            <Stack gap="xs">
              <Text size="sm">{says(answers)}</Text>
              <Text size="sm" fw={600} component="div">
                {cost(answers, id)}
              </Text>
              {noted.warning === undefined ? undefined : (
                <Text size="sm" component="div">
                  {noted.warning}
                </Text>
              )}
            </Stack>
          ) : (
            <Text size="sm">{text.toAnswer}</Text>
          )}
        </Alert>
      ) : (
        <Alert color="red" title={text.never} role="status">
          {noted.never}
        </Alert>
      )}
    </ChangeDialog>
  )
}

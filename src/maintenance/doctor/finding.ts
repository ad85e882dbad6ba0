import { englishOf, type Message } from '../../lib/messages.ts'
import { dataOfSentence, type Sentence, type SentenceData, textOfSentence } from '../../lib/sentences.ts'

/** Something that is wrong, or worth knowing. */
export interface Finding {
  /** False for a warning: nothing is broken. */
  isFault: boolean
  /** Undefined for a finding about the installation. */
  tenant?: string | undefined
  /** The storage key, setting or file that it is about. */
  key?: string | undefined
  says: string
  /** What the operator can do about it. */
  todo: string
  /** Both sentences as data, for pages; runs of earlier versions have the English texts alone. */
  messages?: { says: SentenceData | undefined; todo: SentenceData | undefined }
  /** How it was repaired, if it was. */
  repaired?: string
}

/** A finding with its repair, if there is one without risk. */
export type NewFinding = Omit<Finding, 'repaired'> & { repair?: () => Promise<string> }

/** What a finding says and what can be done about it, in English and as data. */
export const sentences = (says: Sentence, todo: Sentence): Pick<Finding, 'says' | 'todo' | 'messages'> => ({
  says: textOfSentence(says),
  todo: textOfSentence(todo),
  messages: { says: dataOfSentence(says), todo: dataOfSentence(todo) },
})

export type ReportFinding = (finding: NewFinding) => Promise<void>

/** The result of one check. */
export interface Verdict {
  check: string
  /** What is true if it found nothing. */
  about: string
  /** What was checked, if nothing is wrong. */
  detail?: string
  /** The detail as data, for pages. */
  detailMessage?: Message
  faults: number
  warnings: number
  repaired: number
  /** The first thousand: a broken disk has millions. */
  findings: Finding[]
}

const maxFindings = 1_000

/** Collects findings, and repairs them immediately if asked to. */
export function openFindings({ isRepairing }: { isRepairing: boolean }) {
  const verdicts = new Map<string, Verdict>()
  const begin = ({ name, about }: { name: string; about: string }): ReportFinding => {
    const none = { check: name, about, faults: 0, warnings: 0, repaired: 0, findings: [] }
    const verdict: Verdict = verdicts.get(name) ?? none
    verdicts.set(name, verdict)
    return async ({ repair, ...finding }) => {
      const repaired = isRepairing && repair ? await repair() : undefined
      if (repaired !== undefined) verdict.repaired += 1
      else if (finding.isFault) verdict.faults += 1
      else verdict.warnings += 1
      const shown = repaired === undefined ? finding : { ...finding, repaired }
      if (verdict.findings.length < maxFindings) verdict.findings.push(shown)
    }
  }
  const explain = (name: string, detail: Message): void => {
    const verdict = verdicts.get(name)
    if (verdict) Object.assign(verdict, { detail: englishOf(detail), detailMessage: detail })
  }
  return { begin, explain, verdicts: () => [...verdicts.values()] }
}

export type Findings = ReturnType<typeof openFindings>

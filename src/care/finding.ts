/** Something that is not as it should be. */
export interface Finding {
  /** False where nothing is broken, but something should be known. */
  isFault: boolean
  /** Whose it is; nothing where it is the installation's. */
  tenant?: string | undefined
  /** The bytes, the setting or the file that it is about. */
  key?: string | undefined
  says: string
  /** What a person can do about it. */
  todo: string
  /** What was done about it, once it was. */
  repaired?: string
}

/** A finding, and what would mend it without a risk. */
export type NewFinding = Omit<Finding, 'repaired'> & { repair?: () => Promise<string> }

export type Note = (finding: NewFinding) => Promise<void>

/** What one check has found. */
export interface Verdict {
  check: string
  /** What holds where it found nothing. */
  about: string
  faults: number
  warnings: number
  repaired: number
  /** The first of them; a broken disk has millions. */
  findings: Finding[]
}

const mostFindings = 1_000

/** Keeps what checks find, and repairs it at once where that is wanted. */
export function openNotes({ isRepairing }: { isRepairing: boolean }) {
  const verdicts = new Map<string, Verdict>()
  const begin = ({ name, about }: { name: string; about: string }): Note => {
    const none = { check: name, about, faults: 0, warnings: 0, repaired: 0, findings: [] }
    const verdict: Verdict = verdicts.get(name) ?? none
    verdicts.set(name, verdict)
    return async ({ repair, ...finding }) => {
      const repaired = isRepairing && repair ? await repair() : undefined
      if (repaired !== undefined) verdict.repaired += 1
      else if (finding.isFault) verdict.faults += 1
      else verdict.warnings += 1
      const kept = repaired === undefined ? finding : { ...finding, repaired }
      if (verdict.findings.length < mostFindings) verdict.findings.push(kept)
    }
  }
  return { begin, verdicts: () => [...verdicts.values()] }
}

export type Notes = ReturnType<typeof openNotes>

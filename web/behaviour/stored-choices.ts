/** A choice that this browser keeps. Storage may be forbidden: then it lasts as long as the page. */
export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(`terrace-${name}`)
  } catch {
    return null
  }
}

export function writeStored(name: string, value: string): void {
  try {
    localStorage.setItem(`terrace-${name}`, value)
  } catch {
    // Kept by the page alone.
  }
}

/** A choice of the account counts when it has changed since this browser saw it, else what this browser used last. */
export function readChoice(name: 'keys' | 'format' | 'size'): string | null {
  const ofAccount = document.body.dataset[name]
  if (ofAccount !== undefined && readStored(`account-${name}`) !== ofAccount) {
    writeStored(`account-${name}`, ofAccount)
    writeStored(name, ofAccount)
  }
  return readStored(name)
}

/** WCAG 2.1.4: a person who speaks to the machine must be able to switch letters off. */
export const areLettersOff = () => readChoice('keys') === 'off'

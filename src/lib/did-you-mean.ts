/** The name that is most similar to the word; undefined if none is similar. */
export function closest(word: string, names: readonly string[]): string | undefined {
  const farthest = Math.max(1, Math.floor(word.length / 3))
  const [best] = names
    .map((name) => ({ name, distance: distanceOf(word, name) }))
    .filter(({ name, distance }) => distance <= farthest || (word.length > 2 && name.startsWith(word)))
    .sort((a, b) => a.distance - b.distance)
  return best?.name
}

export const suggestion = (name: string | undefined): string =>
  name === undefined ? '' : ` Did you mean "${name}"?`

/** The edit distance: letters added, removed or replaced, and neighbours swapped (Damerau-Levenshtein). */
function distanceOf(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const steps = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1)]
      if (isSwapped) steps.push((before[j - 2] ?? 0) + 1)
      row.push(Math.min(...steps))
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

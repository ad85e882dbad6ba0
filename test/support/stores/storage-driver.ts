// Run as a process of its own by storage-disk-faults.test.ts, under strace: two puts, and what became of them.
import { openDiskStorage } from '../../../src/storage/index.ts'

const [folder = ''] = process.argv.slice(2)
const storage = await openDiskStorage({ root: `${folder}/files` })

const outcomes: string[] = []
for (const round of ['1', '2']) {
  const names = ['cat.jpg', 'cat.md.jpg', 'cat.th.jpg']
  const batch = names.map((name) => ({
    key: `photos/day/${round}-${name}`,
    path: `${folder}/${round}-${name}`,
  }))
  outcomes.push(await outcomeOf(storage.put(batch)))
}
outcomes.push(await outcomeOf(storage.check()))
console.log(outcomes.join(' '))

function outcomeOf(work: Promise<void>): Promise<string> {
  return work.then(
    () => 'done',
    (error: { code?: string }) => `${error.constructor.name}:${error.code}`,
  )
}

import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** One of these begun last would keep one worker waiting for the other. In a fresh clone nobody knows how long they take. */
const longest = [
  'upload-crash',
  'crash-points',
  'power-cut',
  'upload-disk-faults',
  'backup',
  'disk-faults',
  'moves',
  'jobs-crash',
  'video-hostile',
  'rolling-restart',
  'video-browser',
  'cli-site',
  'backup-kill',
  'races',
  'storage-disk-faults',
  'env-rotation',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, two) => placeOf(one) - placeOf(two))
  }
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return place === -1 ? longest.length : place
}

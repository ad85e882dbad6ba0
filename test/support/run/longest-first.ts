import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Long test files that must start first, or one worker would wait for the other. A fresh clone has no recorded durations. */
const longest = [
  'look-lists',
  'look-account',
  'look-files',
  'look-dashboard',
  'look-site',
  'look-states',
  'upload-crash',
  'crash-points',
  'power-cut',
  'search',
  'media-isolation',
  'media-pagination-many',
  'video-hostile',
  'files-crash',
  'resumable-crash',
  'moves-killed',
  'upload-disk-faults',
  'rolling-restart',
  'jobs-crash',
  'share-crash',
  'moves',
  'video-children',
  's3-faults',
  'docs',
  'backup',
  'disk-faults',
  'decoder-sandbox',
  'cli-serve',
  'cli-jobs',
  'hosts',
  'cli-site',
  'backup-kill',
  'races',
  'storage-disk-faults',
  'env-rotation',
]

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, two) => rankOf(one) - rankOf(two))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const index = longest.findIndex((name) => moduleId.includes(`/${name}.`))
  return index === -1 ? longest.length : index
}

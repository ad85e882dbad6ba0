import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'vitest'

/** Functions with a statement that changes rows of files or albums: those that can hide bytes, and how they purge; and those that cannot. */
const known: Readonly<Record<string, string>> = {
  'media/files/files-table.ts updateRows': 'purgingHidden',
  'media/files/files-table.ts prepareUpdate': 'purgingHidden',
  'media/files/removal/deleted-files-table.ts deleteFileRows': 'purgingHidden',
  'media/files/removal/user-files-table.ts trashFilesOfUser': 'purgeServed',
  'media/files/revisions/revisions-table.ts updateContentRow': 'purgingHidden',
  'media/albums/albums-table.ts updateAlbumRow': 'purgeOpen',
  'media/albums/albums-table.ts updatePrivacies': 'purgeOpen',
  'media/albums/delete-album-table.ts takeFilesOut': 'purgingHidden',
  'media/files/files-table.ts updateDeleteHashes': 'hides nothing',
  'media/files/files-table.ts addViews': 'hides nothing',
  'media/files/file-versions-table.ts raiseAddressVersionsOf': 'hides nothing',
  'media/files/edit/likes-table.ts addToLikes': 'hides nothing',
  'media/files/labels/categories-table.ts deleteCategory': 'hides nothing',
  'media/files/list/file-lists-table.ts clearFileOwner': 'hides nothing',
  'media/files/removal/user-files-table.ts updateOwner': 'hides nothing',
  'media/files/revisions/revisions-table.ts reserveKeyRevision': 'hides nothing',
  'media/files/file-keys-table.ts recordSum': 'hides nothing',
  'media/search/file-texts-table.ts': 'hides nothing',
  'media/jobs/file-rows-table.ts updatePlaceholder': 'hides nothing',
  'media/albums/positions-table.ts updatePositions': 'hides nothing',
  'media/albums/albums-table.ts raiseAddressVersions': 'hides nothing',
  'media/albums/albums-table.ts addAlbumViews': 'hides nothing',
  'media/albums/album-likes-table.ts addAlbumLikes': 'hides nothing',
  // Its files were taken out before, by `takeFilesOut`.
  'media/albums/delete-album-table.ts deleteAlbumRow': 'hides nothing',
}

const statement = /\.(?:updateTable|deleteFrom)\('(?:file|album)'\)/g
const functionName = /(?:function|const) (\w+)/g

test('every statement that can hide files is known', () => {
  const found = new Map<string, string>()
  for (const path of globSync('src/**/*.ts').filter((each) => !each.startsWith('src/db/'))) {
    const text = readFileSync(path, 'utf8')
    for (const { index } of text.matchAll(statement)) {
      const before = text.slice(0, text.lastIndexOf('\n', index))
      const top = before
        .split('\n')
        .findLast((line) => /^(?:export )?(?:async )?(?:function|const) /.test(line))
      const name = [...(top ?? '').matchAll(functionName)][0]?.[1]
      const place = `${path.replace(/^src\//, '')}`
      found.set(known[place] === undefined ? `${place} ${name}` : place, text)
    }
  }
  assert.deepEqual([...found.keys()].sort(), Object.keys(known).sort())
  for (const [place, how] of Object.entries(known))
    if (how !== 'hides nothing') assert.match(found.get(place) ?? '', new RegExp(`\\b${how}\\(`), place)
})

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startConsole, type TestConsole } from '../support/console.ts'
import { onEachStore } from '../support/harness.ts'
import { onSiteOf, uploaded } from '../support/uploads.ts'
import { workEnded, workOf } from '../support/work.ts'

const pageIn = async (app: TestConsole, path: string, language: string) => {
  const { status, text } = await app.console.get(path, { 'accept-language': language })
  assert.equal(status, 200, text)
  return text.replaceAll('&#39;', "'").replaceAll('&quot;', '"')
}

const run = async (app: TestConsole, path: string) => {
  const { status, text } = await app.console.post(path)
  assert.equal(status, 303, text)
  return (await workEnded(app)).at(-1)
}

onEachStore('what the doctor has found', (store) => {
  test('is shown in the language of the reader, and that of earlier versions in English', async () => {
    await using app = await startConsole({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats)
    await onSiteOf(app, cats, async ({ db }) => {
      await db.updateTable('total').set({ value: 5 }).where('name', '=', 'albums').execute()
    })
    await run(app, 'health/run')
    const english = [
      'The total albums is 5, but the rows add up to 0.',
      'Run: tenants stats:refresh --id cats',
      "A site's totals agree with its rows",
    ]
    const expected = {
      en: [...english, '>totals<'],
      de: [
        'Die Summe albums ist 5, die Zeilen ergeben 0.',
        'Führe aus: tenants stats:refresh --id cats',
        'Die Summen jeder Website stimmen mit ihren Zeilen überein',
        '>Summen<',
        'FFmpeg kann Standbilder aus Videos lesen',
      ],
      es: [
        'El total albums es 5, pero las filas suman 0.',
        'Ejecuta: tenants stats:refresh --id cats',
        'Los totales de cada sitio coinciden con sus filas',
        '>Totales<',
        'FFmpeg puede extraer fotogramas de los vídeos',
      ],
    }
    const attention = {
      en: 'The last health check found 2 problems',
      de: 'Die letzte Prüfung hat 2 Probleme gefunden',
      es: 'La última comprobación encontró 2 problemas',
    }
    for (const language of ['en', 'de', 'es'] as const) {
      const page = await pageIn(app, 'health', language)
      for (const text of expected[language]) expect(page).toContain(text)
      if (language !== 'en') for (const text of english) expect(page).not.toContain(text)
      expect(await pageIn(app, '', language)).toContain(attention[language])
    }

    await stripData(app)
    const older = await pageIn(app, 'health', 'de')
    for (const text of english.slice(0, 2)) assert.match(older, new RegExp(`lang="en"[^>]*>${text}<`))
    expect(older).toContain('Die Summen jeder Website stimmen mit ihren Zeilen überein')
  })

  test('in backups is shown in the language of the reader, as is why a verification failed', async () => {
    await using app = await startConsole({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats)
    let lost = ''
    await onSiteOf(app, cats, async (site) => {
      const [{ key = '' } = {}] = await site.storage.list('', undefined, 1)
      lost = key
      await site.storage.remove([key])
    })
    const { target: name = '' } = (await run(app, 'backups')) ?? {}
    const folder = join(app.dataDir, 'backups', name)
    expect(await pageIn(app, 'backups', 'en')).toContain(`>cats: ${lost} (its file is not in the backup)<`)
    const notes = await pageIn(app, 'backups', 'de')
    expect(notes).toContain(`Die Sicherung ${folder} ist vollständig, bis auf diese Dateien`)
    expect(notes).toContain(`>cats: ${lost} (diese Datei fehlt in der Sicherung)<`)

    const path = join(folder, 'control/plans.jsonl')
    const plans = await readFile(path)
    await writeFile(path, '\n')
    await run(app, `backups/${name}/verify`)
    expect(await pageIn(app, 'backups', 'es')).toContain(
      '>control/plans.jsonl: ha cambiado desde que se escribió<',
    )
    expect(await pageIn(app, 'backups', 'en')).toContain(
      '>control/plans.jsonl: it has changed since it was written<',
    )
    await writeFile(path, plans)

    await changeManifest(folder, (manifest) => ({ ...manifest, tables: [...manifest.tables, 'site/999'] }))
    const failed = await run(app, `backups/${name}/verify`)
    assert.equal(failed?.state, 'failed')
    const newer = await pageIn(app, 'backups', 'de')
    const text = `${folder} stammt von einer neueren Version von Terrace.`
    // The folder is not a readable backup, and its verification failed for that reason.
    assert.equal(newer.split(text).length - 1, 2, newer)
    expect(newer).not.toContain('was made by')
    expect(await pageIn(app, 'backups', 'en')).toContain(`${folder} was made by a newer version of Terrace.`)

    await writeFile(join(folder, 'manifest.json'), '{"manifest":{}}')
    await run(app, `backups/${name}/verify`)
    const broken = await pageIn(app, 'backups', 'es')
    expect(broken).toContain(`${folder} no se puede restaurar: su manifest.json tiene otro formato.`)
    expect(broken).toContain('Archivo manifest.json: ')
  })
})

/** As versions before have stored the result of their work. */
async function stripData(app: TestConsole): Promise<void> {
  for (const { id, result } of await workOf(app)) {
    const older = JSON.stringify(JSON.parse(result ?? '{}'), (key, value) =>
      key === 'messages' || key === 'detailMessage' ? undefined : value,
    )
    await app.app.control.store.control
      .updateTable('work')
      .set({ result: older })
      .where('id', '=', id)
      .execute()
  }
}

/** With a checksum that fits, as another version would have written it. */
async function changeManifest(folder: string, change: (manifest: any) => object): Promise<void> {
  const path = join(folder, 'manifest.json')
  const manifest = change(JSON.parse(await readFile(path, 'utf8')).manifest)
  await writeFile(path, JSON.stringify({ sha256: hash('sha256', JSON.stringify(manifest)), manifest }))
}

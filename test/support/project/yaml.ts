import assert from 'node:assert/strict'
import { parseAllDocuments } from 'yaml'

/**
 * Reads YAML documents as version 1.2 and as 1.1, and requires that both give the same values: Docker Compose,
 * Kubernetes and Traefik use parsers of either version, and `yes` or `0777` differ between them.
 */
export function readYaml(source: string): unknown[] {
  const values = valuesOf(source, '1.2')
  assert.deepEqual(valuesOf(source, '1.1'), values, 'YAML 1.1 and 1.2 read it differently')
  return values
}

function valuesOf(source: string, version: '1.1' | '1.2'): unknown[] {
  const documents = parseAllDocuments(source, { version, merge: true })
  assert.ok(Array.isArray(documents), 'no document')
  return documents.map((document) => {
    assert.deepEqual([...document.errors, ...document.warnings], [])
    return document.toJS()
  })
}

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'vite'

/** Texts of files by path. */
export type Files = ReadonlyMap<string, string>

/** A line of a file. */
interface Line {
  from: string
  /** `path:line`. */
  at: string
}

export interface Import extends Line {
  to: string
  /** The project's file that a relative import names. */
  target: string | undefined
  isType: boolean
  /** What is imported by name. */
  names: readonly unknown[]
}

/** What the rules look at: every file of the project and what it imports and exports. */
export interface House {
  files: { path: string; lines: number }[]
  imports: Import[]
  environmentReads: Line[]
  defaultExports: Line[]
  /** `...{ a, b }` and `...[a, b]`: parts of one literal that are written as another. */
  literalSpreads: Line[]
}

export function filesOfProject(): Files {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  const paths = globSync(['{src,web,test,bench}/**/*.{ts,tsx,mjs}', '*.{ts,mjs}'], {
    cwd: root,
    exclude: ['**/node_modules/**'],
  })
  assert.ok(paths.length > 0)
  return new Map(paths.sort().map((path) => [path, readFileSync(root + path, 'utf8')]))
}

export function readHouse(files: Files): House {
  const house: House = {
    files: [],
    imports: [],
    environmentReads: [],
    defaultExports: [],
    literalSpreads: [],
  }
  for (const [path, text] of files) {
    house.files.push({ path, lines: text.replace(/\n$/, '').split('\n').length })
    if (/^(src|web)\//.test(path)) readFile(house, path, text)
    readSpreads(house, path, text)
  }
  return house
}

function parse(from: string, text: string) {
  const { program, errors } = parseSync(from, text)
  assert.deepEqual(errors, [], `${from} cannot be parsed`)
  const lineOf = (node: { start: number }) => ({
    from,
    at: `${from}:${text.slice(0, node.start).split('\n').length}`,
  })
  return { program, lineOf }
}

function readFile(house: House, from: string, text: string): void {
  const { program, lineOf } = parse(from, text)
  const addImport = (
    node: { start: number },
    source: unknown,
    isType: boolean,
    names: readonly unknown[] = [],
  ) => {
    const to = (source as { value?: unknown } | null)?.value
    if (typeof to !== 'string') return
    const target = to.startsWith('.') ? posix.join(posix.dirname(from), to) : undefined
    house.imports.push({ ...lineOf(node), to, target, isType, names })
  }
  const nameOf = (node: object) => ('name' in node ? node.name : 'value' in node ? node.value : undefined)

  new Visitor({
    ImportDeclaration(node) {
      const names = node.specifiers.map((each) => each.type === 'ImportSpecifier' && nameOf(each.imported))
      addImport(node, node.source, node.importKind === 'type', names)
      if (/^(node:)?process$/.test(node.source.value) && names.includes('env'))
        house.environmentReads.push(lineOf(node))
    },
    ImportExpression: (node) => addImport(node, node.source, false),
    TSImportType: (node) => addImport(node, node.source, true),
    ExportAllDeclaration: (node) => addImport(node, node.source, node.exportKind === 'type'),
    ExportNamedDeclaration(node) {
      addImport(node, node.source, node.exportKind === 'type')
      if (node.specifiers.some((each) => nameOf(each.exported) === 'default'))
        house.defaultExports.push(lineOf(node))
    },
    ExportDefaultDeclaration: (node) => void house.defaultExports.push(lineOf(node)),
    MemberExpression(node) {
      const isProcess =
        nameOf(node.object) === 'process' ||
        ('property' in node.object && nameOf(node.object.property) === 'process')
      if (isProcess && nameOf(node.property) === 'env') house.environmentReads.push(lineOf(node))
    },
    VariableDeclarator(node) {
      if (node.id.type !== 'ObjectPattern' || !node.init || nameOf(node.init) !== 'process') return
      const names = node.id.properties.map((each) => each.type === 'Property' && nameOf(each.key))
      if (names.includes('env')) house.environmentReads.push(lineOf(node))
    },
  }).visit(program)
}

/** A type around the literal does not make it another thing. */
const wrappers = ['ParenthesizedExpression', 'TSAsExpression', 'TSSatisfiesExpression', 'TSTypeAssertion']

function readSpreads(house: House, from: string, text: string): void {
  if (!/\.\.\.\s*[[({<]/.test(text)) return
  const { program, lineOf } = parse(from, text)
  new Visitor({
    SpreadElement(node) {
      let inner: { type: string; expression?: unknown } = node.argument
      while (wrappers.includes(inner.type)) inner = inner.expression as typeof inner
      if (/^(Object|Array)Expression$/.test(inner.type)) house.literalSpreads.push(lineOf(node))
    },
  }).visit(program)
}

export function isInSource(path: string | undefined): path is string {
  return path?.startsWith('src/') ?? false
}

/** The folder below `src/`, or the name of a file that stands there alone. */
export function roomOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.ts$/, '')
}

/** Every circle of imports, once: the files in order, the first one again at the end. */
export function importCircles(imports: readonly Import[]): string[][] {
  const importsOf = Map.groupBy(imports, ({ from }) => from)
  const circles: string[][] = []
  const finished = new Set<string>()
  const path: string[] = []
  const visit = (file: string) => {
    const start = path.indexOf(file)
    if (start !== -1) circles.push([...path.slice(start), file])
    if (start !== -1 || finished.has(file)) return
    path.push(file)
    for (const { target } of importsOf.get(file) ?? []) if (target) visit(target)
    path.pop()
    finished.add(file)
  }
  for (const file of importsOf.keys()) visit(file)
  return circles
}

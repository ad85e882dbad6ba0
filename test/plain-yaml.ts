/** A value of YAML. */
export type Yaml = string | number | boolean | null | Yaml[] | { [name: string]: Yaml }

interface Line {
  number: number
  indent: number
  text: string
}

/**
 * Reads as much YAML as our own files use, and refuses the rest: maps, lists, JSON in a line, folded text, anchors,
 * merges, comments. What it takes means the same to every other reader.
 */
export function readYaml(source: string): Yaml[] {
  return source
    .split(/^---$/m)
    .map((part, place, parts) => ({ part, before: parts.slice(0, place).join('\n').split('\n').length }))
    .filter(({ part }) => linesOf(part).length > 0)
    .map(({ part, before }) => readDocument(linesOf(part, before)))
}

function linesOf(part: string, before = 1): Line[] {
  return part
    .split('\n')
    .map((line, place) => ({
      number: before + place,
      indent: /^ */.exec(line)?.[0].length ?? 0,
      text: line.trim(),
    }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'))
}

function readDocument(lines: Line[]): Yaml {
  const anchors = new Map<string, Yaml>()
  let at = 0
  const value = block(0)
  if (at < lines.length) fail('stands deeper or higher than its neighbours')
  return value

  function fail(fault: string): never {
    throw new Error(`Line ${lines[at]?.number}: ${fault}: ${lines[at]?.text}`)
  }

  function block(indent: number): Yaml {
    const line = lines[at]
    if (!line || line.indent !== indent) return fail(`is not indented by ${indent}`)
    return line.text.startsWith('- ') ? list(indent) : map(indent)
  }

  function list(indent: number): Yaml[] {
    const items: Yaml[] = []
    for (let line = lines[at]; line?.indent === indent && line.text.startsWith('- '); line = lines[at]) {
      const rest = line.text.slice(2).trim()
      if (!isEntry(rest)) {
        items.push(readValue(rest, indent))
        continue
      }
      // An item that is a map begins on the line of its dash.
      lines[at] = { ...line, indent: indent + 2, text: rest }
      items.push(map(indent + 2))
    }
    return items
  }

  function map(indent: number): { [name: string]: Yaml } {
    const entries: { [name: string]: Yaml } = {}
    const merged: { [name: string]: Yaml } = {}
    for (let line = lines[at]; line?.indent === indent; line = lines[at]) {
      const [, quoted, plain, rest = ''] = entryForm.exec(line.text) ?? fail('is no entry of a map')
      const name = quoted === undefined ? String(plain) : JSON.parse(quoted)
      if (Object.hasOwn(entries, name)) fail('names an entry twice')
      const value = readValue(rest, indent)
      if (name === '<<') Object.assign(merged, value)
      else entries[name] = value
    }
    // What is merged yields to what stands there itself.
    return { ...merged, ...entries }
  }

  /** What stands behind a name or a dash; the line of it is taken. */
  function readValue(text: string, indent: number): Yaml {
    const [, anchor, rest = ''] = /^(?:&([\w-]+)(?: |$))?(.*)$/.exec(text) ?? []
    at += 1
    const isDeeper = (lines[at]?.indent ?? 0) > indent
    const value =
      rest === '' && isDeeper ? block(lines[at]?.indent ?? 0) : rest === '>-' ? folded(indent) : scalar(rest)
    if (anchor !== undefined) anchors.set(anchor, value)
    return value
  }

  function folded(indent: number): string {
    const start = at
    while ((lines[at]?.indent ?? 0) > indent) at += 1
    return lines
      .slice(start, at)
      .map(({ text }) => text)
      .join(' ')
  }

  function scalar(text: string): Yaml {
    if (text === '' || text === 'null') return null
    if (/^["[{]/.test(text)) return JSON.parse(text)
    if (text.startsWith('*')) return anchors.get(text.slice(1)) ?? fail('names an anchor that is not there')
    if (/^[-\w./][^#'"]*$/.test(text) && !/: |:$/.test(text)) return plain(text)
    at -= 1
    return fail('is more than plain YAML')
  }
}

const entryForm = /^(?:("(?:[^"\\]|\\.)*")|([A-Za-z0-9_./<-]+)):(?: (.*))?$/

const isEntry = (text: string) => entryForm.test(text) && !text.startsWith('"')

/** Words that older readers take for something else are refused. */
function plain(text: string): Yaml {
  if (/^(yes|no|on|off|y|n|~)$/i.test(text)) throw new Error(`"${text}" must be in quotes`)
  if (/^(true|false)$/.test(text)) return text === 'true'
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) ? Number(text) : text
}
